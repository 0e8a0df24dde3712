"""Scans: record batches of a query in the canonical Arrow schema of the declared types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa

from connector_sqlite.database import Database, Session
from connector_sqlite.sqlite_table import SqliteTable
from connector_sqlite.storage import from_storage, sample_of
from table_common.annotation import override
from table_common.connector import ArrowScanProvider, InputSplit
from table_common.connector.sql import SqlQuery
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass


def read_rows(
    session: Session, query: SqlQuery[SqliteTable], text: str, parameters: object = None, *, keys: bool = False
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a query as record batches; with ``keys`` the first column is the position of the key.

    Raises:
        TableRuntimeException: a stored value does not have the declared type; the message names the column.
    """
    where = query.table.described
    is_first = True
    reader = session.reader(_typed(query, text, keys=keys), parameters)
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except OSError as error:
            declared = ", ".join(f"{field.name} {field.type}" for field in query.row_type.fields)
            raise TableRuntimeException(f"Values of {where} do not have the declared types ({declared}): {error}") from error
        if is_first:
            batch, is_first = batch.slice(1), False
        if not batch.num_rows:
            continue
        if not keys:
            yield from_storage(batch, query.row_type, where)
            continue
        rows = from_storage(batch.select(list(range(1, batch.num_columns))), query.row_type, where)
        yield pa.RecordBatch.from_arrays([batch.column(0), *rows.columns], names=["key", *rows.schema.names])


def _typed(query: SqlQuery[SqliteTable], text: str, *, keys: bool) -> str:
    """Returns a query with a first row of constants, which tell the driver the types; with ``keys`` the position of a key is first."""
    samples = [*(["0"] if keys else []), *(sample_of(field.type) for field in query.row_type.fields)]
    names = [f"{sample} AS c{index}" for index, sample in enumerate(samples)]
    return f"SELECT {', '.join(names)} UNION ALL SELECT * FROM ({text})"


@dataclass(frozen=True, slots=True)
class _Rows:
    """A range of row ids, from ``least`` up to but not including ``below``; None is unbounded."""

    least: int | None
    below: int | None


_ALL = _Rows(None, None)


@dataclass(frozen=True)
class SqliteScanProvider(ArrowScanProvider):
    """Runs a query, split into ``partitions`` ranges of row ids."""

    database: Database
    query: SqlQuery[SqliteTable]
    partitions: int = 1

    @override
    def splits(self) -> Sequence[InputSplit]:
        if self.partitions <= 1 or self.query.limit is not None:
            return [_ALL]
        with self.database.session() as session:
            try:
                ((least, greatest),) = session.rows(f"SELECT min(rowid), max(rowid) FROM {self.query.table.sql}")
            except TableRuntimeException as error:
                error.hint = error.hint or "views and tables WITHOUT ROWID cannot be split: remove 'scan.partition.num'"
                raise
        if least is None:
            return [_ALL]
        count = min(self.partitions, greatest - least + 1)
        inner = [least + (greatest - least + 1) * index // count for index in range(1, count)]
        # The outer ranges are unbounded, so that they include rows inserted meanwhile.
        return [_Rows(low, high) for low, high in pairwise((None, *inner, None))]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, _Rows)
        least = [f"rowid >= {split.least}"] if split.least is not None else []
        below = [f"rowid < {split.below}"] if split.below is not None else []
        with self.database.session() as session:
            yield from read_rows(session, self.query, self.query.sql(*least, *below))
