"""The connector passes the compliance suites that need no engine; ``tests/integration`` runs SQL on both engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from postgres_server import new_table, run, server_url, tables_in

from connector_jdbc import JdbcTableFactory
from table_common.expressions import ResolvedExpression
from table_testing import LookupCompliance, SinkCompliance, SourceCompliance
from table_testing.rounds import NIGHT

Row = tuple[Any, ...]
Rows = Sequence[Row]
TEXTS = (
    (1, "one", 1.5, True),
    (2, None, 2.5, False),
    (4, "O'Neil_%*?[ \"\\", -0.5, True),
    (7, "One", 70.0, None),
    (1 << 62, "", 1e300, True),
)


class TestJdbc(SourceCompliance, LookupCompliance, SinkCompliance):
    factory = JdbcTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE, is_new BOOLEAN"
    primary_key = ("id",)
    rows = TEXTS

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        table = new_table("id int8 PRIMARY KEY, name text, amount float8, is_new bool", rows)
        return {"url": server_url(), "table-name": table}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        return run(f"SELECT id, name, amount, is_new FROM {options['table-name']}")

    def traces(self, folder: Path, options: Mapping[str, str]) -> set[str]:
        return tables_in(options["table-name"])


class TestAppends(SourceCompliance, LookupCompliance, SinkCompliance):
    """Without a primary key, with other types, and read in splits."""

    factory = JdbcTableFactory
    schema = "id INT NOT NULL, name STRING, amount DECIMAL(10, 2)"
    rows = ((1, "one", None), (2, None, None), (3, "three", None), (4, "vier", None), (-7, "seven", None))

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        table = new_table("id int4, name varchar(20), amount numeric", rows)
        return {"url": server_url(), "table-name": table, "scan.partition.column": "id", "scan.partition.num": "3", "scan.fetch-size": "2"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        return run(f"SELECT id, name, amount FROM {options['table-name']}")

    def traces(self, folder: Path, options: Mapping[str, str]) -> set[str]:
        return tables_in(options["table-name"])

    def filters(self) -> list[tuple[ResolvedExpression, Callable[[Row], bool]]]:
        # By day every fourth: the server reads the same text of a condition in each split.
        return super().filters()[:: 1 if NIGHT else 4]
