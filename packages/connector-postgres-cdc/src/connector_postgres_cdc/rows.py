"""What a scan produces: the columns of its rows, and the tables whose rows they are."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from connector_jdbc import PostgresColumn
from table_common.arrow import ROW_KIND_COLUMN, to_arrow_schema
from table_common.connector.sql import quote_name
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType, RowField, RowType, parse_logical_type

_TEXT = parse_logical_type("STRING NOT NULL")
METADATA: Mapping[str, LogicalType] = {
    "database_name": _TEXT,
    "schema_name": _TEXT,
    "table_name": _TEXT,
    "op_ts": parse_logical_type("TIMESTAMP_LTZ(3) NOT NULL"),
    "lsn": parse_logical_type("BIGINT"),
    "row_kind": _TEXT,
}
"""The types of the metadata of a row, by key. A row of the snapshot has no ``lsn``, and 1970 as its time."""
KINDS = ("+I", "-U", "+U", "-D")
"""The texts of row kinds, by their codes."""


@dataclass(frozen=True)
class CapturedTable:
    """A table whose changes are read."""

    oid: int
    schema: str
    name: str
    columns: Mapping[str, PostgresColumn] = field(hash=False)
    key: str | None = None
    """The column of whole numbers by whose ranges the table is copied, None to copy it as a whole."""
    types: Mapping[str, tuple[int, int]] = field(default_factory=dict, hash=False)
    """The oid and the modifier of the type of each column, as the log has them."""
    is_full: bool = False
    """Whether the replica identity is FULL."""
    is_partitioned: bool = False
    identity: tuple[str, ...] = ()
    """The columns that the log has of a row that is deleted, unless the replica identity is FULL."""

    @property
    def shown(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}"

    @property
    def sql(self) -> str:
        """The quoted name."""
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    @property
    def source_sql(self) -> str:
        """What a query reads: the rows of the table itself, since the log has those of tables that inherit from it as rows of these."""
        return self.sql if self.is_partitioned else f"ONLY {self.sql}"

    @property
    def where(self) -> str:
        """What messages call the table."""
        return f"PostgreSQL's table '{self.shown}'"


@dataclass(frozen=True)
class RowShape:
    """The rows of a scan: columns of the tables, metadata, and which rows a change has."""

    produced: RowType
    """The columns, then the metadata."""
    metadata: tuple[str, ...]
    key: tuple[RowField, ...]
    """The primary key of the table's definition: an update that changes it is a deletion and an insertion."""
    is_upsert: bool
    database: str
    has_kinds: bool = True
    """Whether rows have row kinds: copied rows alone are insertions."""

    @property
    def fields(self) -> tuple[RowField, ...]:
        """The columns of tables."""
        return self.produced.fields[: len(self.produced.fields) - len(self.metadata)]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema with the row kinds; a deletion may have its key only."""
        fields = list(to_arrow_schema(self.produced))
        if self.is_upsert:
            fields = [field.with_nullable(True) for field in fields]
        if not self.has_kinds:
            return pa.schema(fields)
        return pa.schema([*fields, pa.field(ROW_KIND_COLUMN, pa.int8(), nullable=False)])
