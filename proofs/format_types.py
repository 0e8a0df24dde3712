"""Values of every type in files of every format: `python proofs/format_types.py [--writer arrow|spark] [--reader arrow|spark] [--format NAME] [--page]`.

For each type and format a column with NULL, ordinary and extreme values is written and read. The values read must be equal, or the write must be
rejected with an error that names the type. ``--page`` writes the result to ``docs/reference/format-types.md``.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import pyarrow as pa

from connector_sqlite.storage import storage_class
from table_api import EnvironmentSettings, TableEnvironment
from table_common.arrow import to_arrow_field, to_arrow_type
from table_common.exceptions import TableError
from table_common.types import parse_logical_type

FORMATS = ("avro", "csv", "json", "orc", "parquet", "raw", "canal-json", "debezium-json", "maxwell-json", "ogg-json", "sqlite")
_ORDINARY = datetime(2020, 1, 2, 3, 4, 5)
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "format-types.md"
_NOTES = (
    "- `csv`: with `csv.null-literal`, which no value may equal; without it NULL is an empty field, which is read as an empty text, as in Flink. Parts of",
    "  arrays and rows cannot hold the delimiter between them.",
    "- `orc`: timestamps from 1677-09-21 to 2262-04-11.",
    "- `raw`: lines without line breaks in them, and no NULL.",
    "- `sqlite`: no NaN. -0.0 is read as 0.0, which SQLite keeps in its place.",
)
_PLAIN = {"TIMESTAMP(0)": _ORDINARY, "TIMESTAMP(3)": _ORDINARY, "TIMESTAMP(6)": _ORDINARY}
_PLAIN |= {"TIMESTAMP_LTZ(3)": _ORDINARY.replace(tzinfo=UTC), "TIMESTAMP_LTZ(6)": _ORDINARY.replace(tzinfo=UTC), "ARRAY<STRING>": ["b"]}
"""Values that every format supports if it supports the type."""
_WITHOUT_NULL = ("raw",)
"""Formats that reject NULL for every type."""
_DAY = 86_400_000_000_000
_MOMENTS = [datetime(1, 1, 1), datetime(1582, 10, 10, 1), datetime(1969, 12, 31, 23, 59, 59), datetime(9999, 12, 31, 23, 59, 59)]
_NANOS = [-(2**63) + 1, -1, 0, 1_600_000_000_123_456_789, 2**63 - 1]


def _fractions(micros: int) -> list[datetime]:
    return [moment.replace(microsecond=micros) for moment in _MOMENTS]


def _zoned(values: Sequence[datetime]) -> list[datetime]:
    return [value.replace(tzinfo=UTC) for value in values]


VALUES: Mapping[str, Sequence[Any]] = {
    "BOOLEAN": [True, False],
    "TINYINT": [-128, 0, 127],
    "SMALLINT": [-(2**15), 2**15 - 1],
    "INT": [-(2**31), 2**31 - 1],
    "BIGINT": [-(2**63), 2**63 - 1],
    "FLOAT": [1.5, -0.0, 3.4028234663852886e38, 1e-45, inf, -inf, nan],
    "DOUBLE": [0.1, -0.0, 1.7976931348623157e308, 5e-324, inf, -inf, nan],
    "DECIMAL(5, 2)": [Decimal("-999.99"), Decimal("0.01")],
    "DECIMAL(38, 18)": [Decimal("-12345678901234567890.123456789012345678"), Decimal("0E-18")],
    "DECIMAL(38, 0)": [Decimal("9" * 38)],
    "CHAR(3)": ["abc", "äöü"],
    "VARCHAR(10)": ["x", "a,b;c"],
    "STRING": ["", " blank ", 'quo"te', "line\nbreak", "\\", "null", "\U0001f600", "#"],
    "BINARY(2)": [b"\x00\xff"],
    "VARBINARY(4)": [b"\x01", b"\n\r"],
    "BYTES": [b"", bytes(range(256))],
    "DATE": [date(1, 1, 1), date(1582, 10, 10), date(1970, 1, 1), date(9999, 12, 31)],
    "TIME(0)": [time(0), time(23, 59, 59)],
    "TIME(3)": [time(1, 2, 3, 4000)],
    "TIME(6)": [time(1, 2, 3, 4)],
    "TIME(9)": [1, _DAY - 1],
    "TIMESTAMP(0)": _MOMENTS,
    "TIMESTAMP(3)": _fractions(1000),
    "TIMESTAMP(6)": _fractions(999_999),
    "TIMESTAMP(9)": _NANOS,
    "TIMESTAMP_LTZ(3)": _zoned(_fractions(1000)),
    "TIMESTAMP_LTZ(6)": _zoned(_fractions(999_999)),
    "TIMESTAMP_LTZ(9)": _NANOS,
    "ARRAY<INT>": [[], [1, None, 2]],
    "ARRAY<STRING>": [["a", None, ""], ["b"], [";"]],
    "ARRAY<DATE>": [[date(2020, 1, 2), None]],
    "ARRAY<ARRAY<BIGINT>>": [[[1], [], None, [2**60, None]]],
    "MAP<STRING, INT>": [[], [("a", 1), ("b", None)]],
    "MAP<INT, STRING>": [[(1, "a"), (2, None)]],
    "MULTISET<STRING>": [[("a", 2)]],
    "ROW<a INT, b STRING>": [{"a": 1, "b": None}, {"a": None, "b": "x"}, {"a": None, "b": None}],
    "ROW<d DECIMAL(38, 18), t TIMESTAMP(3), n ROW<l ARRAY<DATE>>>": [
        {"d": Decimal("1.5"), "t": datetime(2020, 1, 2, 3), "n": {"l": [date(2020, 1, 2)]}}
    ],
    "ARRAY<ROW<x INT, y STRING>>": [[{"x": 1, "y": "a"}, None, {"x": None, "y": None}]],
    "MAP<STRING, ARRAY<ROW<x TIMESTAMP(6)>>>": [[("k", [{"x": datetime(2020, 1, 2, 3, 4, 5, 6)}])]],
}
"""The values of each type; NULL is appended."""


def column(type_: str, format_: str, *, plain: bool = False) -> pa.Table:
    """Returns a table with the columns ``id`` and ``v`` that holds the values and NULL, or one ordinary value."""
    logical = parse_logical_type(type_)
    values = [_PLAIN.get(type_, VALUES[type_][0])] if plain else [*VALUES[type_], *([] if format_ in _WITHOUT_NULL else [None])]
    values = pa.array(values, to_arrow_type(logical))
    schema = pa.schema([to_arrow_field("id", parse_logical_type("INT NOT NULL")), to_arrow_field("v", logical)])
    return pa.table([pa.array(range(len(values)), pa.int32()), values], schema)


def definition(name: str, format_: str, type_: str, folder: Path) -> str:
    """Returns the statement that declares the table of a type."""
    columns = f"v {type_}" if format_ == "raw" else f"id INT, v {type_}"
    if format_ == "sqlite":
        return f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ('connector' = 'sqlite', 'path' = '{_database(folder, type_)}', 'table-name' = 't')"
    return f"CREATE TEMPORARY TABLE {name} ({columns}) WITH {options(format_, folder)}"


def options(format_: str, folder: Path) -> str:
    """Returns the options of a table of files."""
    null = ", 'csv.null-literal' = 'n/a'" if format_ == "csv" else ""
    return f"('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{folder}'{null})"


def _database(folder: Path, type_: str) -> Path:
    """Returns a database with the table ``t``."""
    folder.mkdir(exist_ok=True)
    path = folder / "d.db"
    if not path.exists():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"CREATE TABLE t (id INTEGER, v {storage_class(parse_logical_type(type_)) or 'BLOB'})")
    return path


def written(env: TableEnvironment, format_: str, type_: str, folder: Path, *, plain: bool = False) -> str | None:
    """Writes the column; returns the error, or None."""
    name = f"w{abs(hash((format_, type_, str(folder))))}"
    try:
        env.execute_sql(definition(name, format_, type_, folder))
        env.create_temporary_view(f"{name}v", env.from_arrow(column(type_, format_, plain=plain)))
        columns = "v" if format_ == "raw" else "id, v"
        env.execute_sql(f"INSERT INTO {name} SELECT {columns} FROM {name}v").wait()
    except TableError as error:
        return str(error)
    return None


def read(env: TableEnvironment, format_: str, type_: str, folder: Path) -> pa.Array:
    """Returns the values read, in the order in which they were written."""
    name = f"r{abs(hash((format_, type_, str(folder))))}"
    env.execute_sql(definition(name, format_, type_, folder))
    found = env.from_path(name).to_arrow()
    if "id" in found.column_names:
        found = found.take(pa.compute.sort_indices(found.column("id")))
    return found.column("v").combine_chunks()


def shown(values: Any) -> list[str]:
    """Returns a text for comparison: NaN equals NaN, and -0.0 differs from 0.0."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_timestamp(array.type) or pa.types.is_time(array.type) or pa.types.is_duration(array.type):
        array = array.cast(pa.int64())
    return [repr(value) for value in array.to_pylist()]


def outcome(writer: TableEnvironment, reader: TableEnvironment, format_: str, type_: str, folder: Path) -> str:
    """Returns ``equal``, ``refused: …`` or a description of the failure."""
    error = written(writer, format_, type_, folder)
    if error is not None:
        named = any(word in error for word in re.findall("[A-Z]{3,}", type_))
        return f"refused: {error}" if named and "bug" not in error else f"WRONG refusal: {error}"
    expected = shown(column(type_, format_).column("v"))
    try:
        found = shown(read(reader, format_, type_, folder))
    except TableError as failure:
        return f"WRONG: cannot be read: {failure}"
    return "equal" if found == expected else f"WRONG: {found} instead of {expected}"


def cells(env: TableEnvironment, format_: str, root: Path) -> dict[str, str]:
    """Returns the outcome of each type for the page: ``yes``, ``some`` values, ``no``, or a description of the failure."""
    found = {}
    for number, type_ in enumerate(VALUES):
        result = outcome(env, env, format_, type_, root / f"{format_}{number}")
        if result.startswith("refused"):
            result = "no" if written(env, format_, type_, root / f"{format_}{number}p", plain=True) else "some"
        found[type_] = "yes" if result == "equal" else result
    return found


def page(matrix: Mapping[str, Mapping[str, str]]) -> str:
    """Returns the page for the cells by format and type."""
    lines = [
        "# Types in formats",
        "",
        "<!-- Made by proofs/format_types.py --page: change the code it is made of, not this page. -->",
        "",
        "What is written can be read, by both engines: `yes` for all values, NULL among them; `some` for those that the format can tell apart, all others",
        "are refused when they are written; `no` for types that are refused. An error names the type and the reason.",
        "",
        f"| type | {' | '.join(matrix)} |",
        f"|---|{'---|' * len(matrix)}",
        *(f"| {type_} | {' | '.join(found[type_] for found in matrix.values())} |" for type_ in VALUES),
        "",
        *_NOTES,
    ]
    return "\n".join(lines) + "\n"


def together(writer: TableEnvironment, reader: TableEnvironment, format_: str, types: Sequence[str], folder: Path) -> dict[str, str]:
    """Returns the outcomes of all types that can be written, using one table with a column of each."""
    logical = [parse_logical_type(type_) for type_ in types]
    schema = pa.schema(
        [to_arrow_field("id", parse_logical_type("INT")), *(to_arrow_field(f"v{i}", type_) for i, type_ in enumerate(logical))]
    )
    values = _padded(types)
    rows = pa.table([pa.array(range(len(values[0])), pa.int32()), *values], schema)
    columns = ", ".join(["id INT", *(f"v{i} {type_}" for i, type_ in enumerate(types))])
    statement = f"CREATE TEMPORARY TABLE t ({columns}) WITH {options(format_, folder)}"
    for env in {id(writer): writer, id(reader): reader}.values():
        env.execute_sql("DROP TEMPORARY TABLE IF EXISTS t")
        env.execute_sql(statement)
    writer.execute_sql("DROP TEMPORARY VIEW IF EXISTS v")
    writer.create_temporary_view("v", writer.from_arrow(rows))
    writer.execute_sql("INSERT INTO t SELECT * FROM v").wait()
    return compared(reader, types)


def compared(reader: TableEnvironment, types: Sequence[str]) -> dict[str, str]:
    """Compares the table that ``together`` created; returns the outcomes."""
    found = reader.from_path("t").to_arrow()
    found = found.take(pa.compute.sort_indices(found.column("id")))
    results = {}
    for index, (type_, values) in enumerate(zip(types, _padded(types), strict=True)):
        expected, got = shown(values), shown(found.column(f"v{index}"))
        results[type_] = "equal" if got == expected else f"WRONG: {got} instead of {expected}"
    return results


def _padded(types: Sequence[str]) -> list[pa.Array]:
    """Returns the values of the types, padded with NULL to the same length."""
    height = max(len(VALUES[type_]) for type_ in types)
    return [pa.array([*VALUES[name], *[None] * (height - len(VALUES[name]))], to_arrow_type(parse_logical_type(name))) for name in types]


def environment(planner: str) -> TableEnvironment:
    """Returns an environment in UTC."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())
    env.get_config().set("table.local-time-zone", "UTC")
    return env


def main() -> None:
    """Prints the failures, and the numbers of equal and rejected columns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--writer", default="arrow")
    parser.add_argument("--reader", default="arrow")
    parser.add_argument("--format", choices=FORMATS)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    if given.page:
        env = environment("arrow")
        with tempfile.TemporaryDirectory() as root:
            PAGE.write_text(page({format_: cells(env, format_, Path(root)) for format_ in FORMATS}), encoding="utf-8")
        return
    writer = environment(given.writer)
    reader = writer if given.reader == given.writer else environment(given.reader)
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as root:
        for format_ in FORMATS if given.format is None else (given.format,):
            for number, type_ in enumerate(VALUES):
                result = outcome(writer, reader, format_, type_, Path(root) / f"{format_}{number}")
                kind = result.partition(":")[0]
                counts[kind] = counts.get(kind, 0) + 1
                if kind.startswith("WRONG") or (given.all and kind != "equal"):
                    print(f"{format_:14} {type_:32} {result[:400]}")
    print(counts)


if __name__ == "__main__":
    main()
