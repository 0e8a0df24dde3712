"""Lookups: one query per batch of keys, which are passed as one JSON text."""

from __future__ import annotations

import json

import pyarrow as pa

from connector_sqlite.database import Database, Session
from connector_sqlite.reading import read_rows
from connector_sqlite.sqlite_table import BINARY, SqliteTable, operand_sql
from table_common.annotation import override
from table_common.arrow import import_batch
from table_common.connector import LookupFunction, SupportsArrowArray
from table_common.connector.sql import SqlQuery, where_clause
from table_common.functions import FunctionContext
from table_common.types import RowField


class SqliteLookupFunction(LookupFunction):
    """Looks rows up by joining the table with the keys in SQLite."""

    def __init__(self, database: Database, query: SqlQuery[SqliteTable], key_columns: tuple[RowField, ...]) -> None:
        self._database = database
        self._query = query
        self._is_single = len(key_columns) == 1
        self._sql = _lookup_sql(query, key_columns)
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
        assert self._session is not None
        columns = [column.to_pylist() for column in import_batch(keys).columns]
        values = columns[0] if self._is_single else list(zip(*columns, strict=True))
        batches: list[pa.RecordBatch] = list(
            read_rows(self._session, self._query, self._sql, (json.dumps(values, ensure_ascii=False),), keys=True)
        )
        if not batches:
            return self._nothing()
        whole: SupportsArrowArray = batches[0] if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
        return whole

    def _nothing(self) -> SupportsArrowArray:
        from table_common.arrow import to_arrow_schema

        fields = [pa.field("key", pa.int64()), *to_arrow_schema(self._query.row_type)]
        nothing: SupportsArrowArray = pa.RecordBatch.from_arrays(
            [pa.array([], type=field.type) for field in fields], schema=pa.schema(fields)
        )
        return nothing


def _lookup_sql(query: SqlQuery[SqliteTable], key_columns: tuple[RowField, ...]) -> str:
    # The columns of json_each are renamed, so that conditions refer to the table's columns only.
    keys = '(SELECT key AS "$position", value AS "$key" FROM json_each(?)) AS k'
    table = query.table.sql
    values = ['k."$key"'] if len(key_columns) == 1 else [f'k."$key" ->> {index}' for index in range(len(key_columns))]
    joined = [
        f"{operand_sql(column.name, column.type, table)} = {value}{BINARY}" for column, value in zip(key_columns, values, strict=True)
    ]
    return f'SELECT k."$position", {", ".join(query.columns)} FROM {keys} CROSS JOIN {table}{where_clause([*joined, *query.conditions])}'
