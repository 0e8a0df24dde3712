"""All connectors of this project pass the compliance suites, and SQL over them returns the same rows on both engines with any push-down."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from connector_sqlite import SqliteTableFactory
from table_runtime.connectors.blackhole import BlackHoleTableFactory
from table_runtime.connectors.datagen import DataGenTableFactory
from table_runtime.connectors.filesystem import FileSystemTableFactory
from table_runtime.connectors.print import PrintTableFactory
from table_runtime.connectors.python import PythonTableFactory
from table_runtime.connectors.values import ValuesTableFactory, register_values
from table_testing import LookupCompliance, SinkCompliance, SourceCompliance, SqlCompliance
from table_testing.rounds import NIGHT

Rows = Sequence[tuple[Any, ...]]


class OnBothEngines(SqlCompliance):
    """Uses the session that all tests of the process share."""

    engines: ClassVar[tuple[str, ...] | None] = ("arrow", "spark")

    @pytest.fixture(autouse=True)
    def _shared_session(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        if "sql_" in request.node.name:
            monkeypatch.setattr(SqlCompliance, "external", {"spark": {"spark": request.getfixturevalue("spark")}})


class TestValues(SourceCompliance, LookupCompliance, OnBothEngines):
    factory = ValuesTableFactory

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        name = uuid.uuid4().hex
        register_values(name, rows)
        return {"data-id": name}


class TestDatagen(SourceCompliance, OnBothEngines):
    factory = DataGenTableFactory
    schema = "id BIGINT, other BIGINT"
    rows = tuple((number, number + 10) for number in range(1, 7))

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        options = {"number-of-rows": str(len(rows))}
        for name, start in (("id", 1), ("other", 11)):
            options |= {f"fields.{name}.kind": "sequence", f"fields.{name}.start": str(start), f"fields.{name}.end": str(start + 5)}
        return options


class TestFilesystem(SourceCompliance, SinkCompliance, OnBothEngines):
    factory = FileSystemTableFactory

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        table = folder / "files"
        table.mkdir(exist_ok=True)
        names = ("id", "name", "amount")
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        if lines:
            (table / "part-0.json").write_text("\n".join(lines) + "\n")
        return {"path": str(table), "format": "json"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        files = [file for file in Path(options["path"]).rglob("*") if file.is_file() and not file.name.startswith(("_", "."))]
        values = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return [(value["id"], value.get("name"), value.get("amount")) for value in values]


class TestFilesystemByUrl(TestFilesystem):
    """Through fsspec, as tables on object stores; on Spark at night: by day the tests of its distribution have such tables."""

    engines: ClassVar[tuple[str, ...] | None] = ("arrow", "spark") if NIGHT else ("arrow",)

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        options = super().create_table(folder, rows)
        return {**options, "path": f"local://{options['path']}"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        return super().stored_rows({**options, "path": options["path"].removeprefix("local://")})


class TestSqlite(SourceCompliance, LookupCompliance, SinkCompliance, OnBothEngines):
    factory = SqliteTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE, is_new BOOLEAN"
    primary_key = ("id",)
    rows = (
        (1, "one", 1.5, True),
        (2, None, 2.5, False),
        (4, "O'Neil_%*?[", -0.5, True),
        (7, "One", 70.0, None),
        (1 << 62, "", 1e300, True),
    )

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        path = folder / "compliance.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE tested (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, amount REAL, is_new INTEGER)")
            connection.executemany("INSERT INTO tested VALUES (?, ?, ?, ?)", rows)
            connection.commit()
        return {"path": str(path), "table-name": "tested", "scan.partition.num": "2"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(options["path"])) as connection:
            rows = connection.execute("SELECT id, name, amount, is_new FROM tested").fetchall()
        return [(*row[:3], None if row[3] is None else bool(row[3])) for row in rows]


def json_rows(columns: list[str], options: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yields the requested columns of the rows in a file; called by the connector ``python``."""
    for row in json.loads(Path(options["file"]).read_text()):
        yield {name: row[name] for name in columns}


def json_table(options: dict[str, str], filters: pc.Expression | None = None, limit: int | None = None) -> pa.Table:
    """Returns the rows in a file as a table, after the pushed filters and limit."""
    schema = pa.schema([("id", pa.int64()), ("name", pa.string()), ("amount", pa.float64())])
    rows = pa.Table.from_pylist(json.loads(Path(options["file"]).read_text()), schema)
    return (rows if filters is None else rows.filter(filters)).slice(0, limit)


class TestPythonRows(SourceCompliance, OnBothEngines):
    factory = PythonTableFactory
    function = "json_rows"

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        file = folder / "rows.json"
        file.write_text(json.dumps([dict(zip(("id", "name", "amount"), row, strict=True)) for row in rows]))
        return {"callable": f"{__name__}:{self.function}", "options.file": str(file)}


class TestPythonTable(TestPythonRows):
    function = "json_table"


TAKEN: list[tuple[Any, ...]] = []


def take(batch: pa.RecordBatch) -> None:
    """Stores the batches that the connector ``python`` passes."""
    TAKEN.extend(tuple(row.values()) for row in batch.to_pylist())


class TestPythonSink(SinkCompliance, OnBothEngines):
    factory = PythonTableFactory
    is_visible_at_once = True

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        TAKEN.clear()
        return {"callable": f"{__name__}:TAKEN", "sink.callable": f"{__name__}:take"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        return list(TAKEN)

    def queries(self) -> list[str]:
        return []


class TestPrint(SinkCompliance):
    factory = PrintTableFactory
    is_visible_at_once = True

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        return {}


class TestBlackHole(SinkCompliance):
    factory = BlackHoleTableFactory
    is_visible_at_once = True

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        return {}
