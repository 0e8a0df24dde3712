"""The connector passes the compliance suites that need no engine; ``tests/integration`` runs SQL on both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cdc_server import new_table, options_of, run

from connector_postgres_cdc import PostgresCdcTableFactory
from table_testing import OffsetCompliance


class TestSnapshot(OffsetCompliance):
    factory = PostgresCdcTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    rows = ((1, "one", 1.5), (2, None, 2.5), (4, "O'Neil_%*?[ \"\\", -0.5), (7, "One", None), (1 << 62, "", 1e300))

    def create_table(self, folder: Path, rows: Sequence[tuple[Any, ...]]) -> Mapping[str, str]:
        table = new_table("id int8 PRIMARY KEY, name text, amount float8")
        for row in rows:
            values = ", ".join("NULL" if value is None else "'" + str(value).replace("'", "''") + "'" for value in row)
            run(f"INSERT INTO {table} VALUES ({values})")
        options = options_of(table, scan__startup__mode="snapshot")
        del options["slot.name"], options["connector"]
        return options


del OffsetCompliance
