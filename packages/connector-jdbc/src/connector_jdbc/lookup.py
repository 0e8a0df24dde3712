"""Lookups: one query per batch of distinct keys, which are parameters of the query as arrays."""

from __future__ import annotations

import pyarrow as pa

from connector_jdbc.database import Database, Session
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.postgres_types import from_postgres, staging_type, to_staging
from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_schema
from table_common.connector import LookupFunction, SupportsArrowArray
from table_common.connector.sql import SqlQuery, quote_name, where_clause
from table_common.exceptions import TableError
from table_common.functions import FunctionContext
from table_common.types import RowType


class JdbcLookupFunction(LookupFunction):
    """Looks rows up by joining the table with the keys in PostgreSQL."""

    def __init__(self, database: Database, query: SqlQuery[PostgresTable], keys: RowType, operands: tuple[str, ...]) -> None:
        self._database = database
        self._query = query
        self._keys = keys
        names = [f"v{index}" for index in range(len(operands))]
        arrays = ", ".join(f"${index + 1}::{staging_type(field.type)}[]" for index, field in enumerate(keys.fields))
        unnested = f"unnest({arrays}) WITH ORDINALITY AS k({', '.join(names)}, position)"
        join = " AND ".join(f"{operand} = k.{name}" for operand, name in zip(operands, names, strict=True))
        # PostgreSQL finds single keys by one scan of the index, or of the table if there are many.
        is_plain = operands == (quote_name(keys.fields[0].name),)
        self._sql = _any_sql(query, operands[0], arrays, unnested) if is_plain else _keyed_sql(query, unnested, join)
        self._session: Session | None = None

    @override
    def open(self, context: FunctionContext) -> None:
        self._session = self._database.open()

    @override
    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    @override
    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        if self._session is None:
            self._session = self._database.open()
        columns = to_staging(import_batch(keys), self._keys, "the lookup keys")
        parameters = [pa.ListArray.from_arrays(pa.array([0, len(column)], pa.int32()), column) for column in columns]
        try:
            found = self._session.bound(
                self._sql, pa.RecordBatch.from_arrays(parameters, names=[f"p{index}" for index in range(len(columns))])
            )
        except TableError:
            self.close()  # the retry connects again
            raise
        arrays = [column.combine_chunks() if column.num_chunks != 1 else column.chunk(0) for column in found.columns]
        position = pc.subtract(arrays[0], pa.scalar(1, pa.int64()))
        rows = from_postgres(arrays[1:], self._query.row_type, self._query.table.described, found.num_rows)
        schema = pa.schema([pa.field("key", pa.int64()), *to_arrow_schema(self._query.row_type)])
        result: SupportsArrowArray = pa.RecordBatch.from_arrays([position, *(rows.columns if self._query.columns else [])], schema=schema)
        return result


def _any_sql(query: SqlQuery[PostgresTable], operand: str, array: str, unnested: str) -> str:
    """Returns the query with ``= ANY`` over the distinct keys; the join with the keys, by a hash table, adds their positions."""
    where = where_clause([f"{operand} = ANY ({array})", *query.conditions])
    inner = ", ".join([f"{operand} AS k0", *(f"{column} AS c{index}" for index, column in enumerate(query.columns))])
    columns = "".join(f", t.c{index}" for index in range(len(query.columns)))
    return f"SELECT k.position{columns} FROM (SELECT {inner} FROM {query.table.sql}{where}) AS t JOIN {unnested} ON t.k0 = k.v0"


def _keyed_sql(query: SqlQuery[PostgresTable], keys: str, join: str) -> str:
    """Returns the query of the rows that belong to keys; its first column is the position of the key."""
    columns = "".join(f", t.c{index}" for index in range(len(query.columns)))
    inner = ", ".join(f"{column} AS c{index}" for index, column in enumerate(query.columns))
    where = where_clause([*query.conditions, join])
    return f"SELECT k.position{columns} FROM {keys} CROSS JOIN LATERAL (SELECT {inner} FROM {query.table.sql}{where}) AS t"
