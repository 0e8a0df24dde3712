"""Copies tables: which part comes next, and the rows of a part, over several connections in one snapshot."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pyarrow as pa

from connector_jdbc import Session, from_postgres, select_sql
from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.changes import constant_metadata
from connector_postgres_cdc.offsets import Copied, Position, Visibility
from connector_postgres_cdc.rows import KINDS, CapturedTable
from connector_postgres_cdc.text_values import NO_COUNTERPART
from table_common.connector.sql import quote_name, quote_text
from table_common.exceptions import TableError, TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

_REPEATABLE = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_MOST_KEY = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a table with keys from ``low`` to before ``high``, None for no bound."""

    table: int
    """The position among the tables of the scan."""
    low: int | None
    high: int | None


class Snapshot:
    """An open transaction whose snapshot other sessions share by its exported name."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._session = capture.open()
        try:
            self._session.rows(_REPEATABLE)
            ((text, exported, lsn),) = self._session.rows(
                "SELECT pg_current_snapshot()::text, pg_export_snapshot(), (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8"
            )
        except BaseException:
            self._session.close()
            raise
        self.visibility = Visibility(text)
        self.exported: str = exported
        self.until: int = lsn
        """All transactions that the snapshot shows commit before this position of the log."""

    def next_part(self, table: CapturedTable, low: int | None, rows: int | None) -> tuple[int | None, int]:
        """Returns the end of the next part of a table, and how many rows it has, 0 if that is not known."""
        if table.key is None or rows is None:
            return None, 0
        ((last, count, has_more),) = self._session.rows(
            f"SELECT max(k) FILTER (WHERE n <= {rows}), count(*) FILTER (WHERE n <= {rows}), count(*) > {rows} FROM "
            f"(SELECT k::int8, row_number() OVER (ORDER BY k) AS n FROM (SELECT {quote_name(table.key)} AS k FROM {table.source_sql} "
            f"{_condition(table, low, None)} ORDER BY 1 LIMIT {rows + 1}) AS taken) AS numbered"
        )
        return (last + 1 if has_more and last < _MOST_KEY else None), count

    def close(self) -> None:
        """Ends the transaction; the snapshot cannot be shared any more."""
        self._session.close()


def next_range(capture: Capture, position: Position, snapshot: Snapshot, rows: int | None) -> Position:
    """Returns where the range that begins at a position ends: after about ``rows`` rows, or after all tables."""
    left = rows
    for table in capture.tables:
        while not position.is_whole(table.shown):
            if left is not None and left <= 0:
                return position
            parts = position.copied.get(table.shown)
            high, count = snapshot.next_part(table, parts[-1].below if parts else None, left)
            position = position.with_part(table.shown, Copied(high, snapshot.visibility))
            if left is not None:
                left -= count if table.key is not None else left
    return position


def parts_between(capture: Capture, start: Position, end: Position) -> Sequence[Part]:
    """Returns the parts that are copied between two positions."""
    found = []
    for number, table in enumerate(capture.tables):
        before, after = start.copied.get(table.shown), end.copied.get(table.shown)
        low = before[-1].below if before else None
        if after and not start.is_whole(table.shown) and (not before or after[-1].below != low):
            found.append(Part(number, low, after[-1].below))
    return found


def copy_parts(capture: Capture, parts: Sequence[Part], exported: str) -> Iterator[pa.RecordBatch]:
    """Yields the rows of parts as insertions, always in the same order.

    Raises:
        TableRuntimeException: the snapshot has ended with its session, or a value is outside the range of its type.
    """
    small = [piece for part in parts for piece in _divided(capture, part, exported)]
    if len(small) == 1:
        yield from _copied(capture, small[0], exported)
        return
    pool = ThreadPoolExecutor(max(1, capture.parallelism), thread_name_prefix="postgres-cdc-copy")
    waiting: deque[Future[list[pa.RecordBatch]]] = deque()
    try:
        for piece in small:
            waiting.append(pool.submit(_copied_batches, capture, piece, exported))
            if len(waiting) > capture.parallelism:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _divided(capture: Capture, part: Part, exported: str) -> Iterator[Part]:
    """Yields pieces of the size of ``scan.incremental.snapshot.chunk.size``."""
    table = capture.tables[part.table]
    if table.key is None:
        yield part
        return
    with capture.session() as session:
        _enter(session, exported, capture)
        rows = session.rows(
            f"SELECT max(k)::int8 + 1 FROM (SELECT {quote_name(table.key)} AS k, (row_number() OVER (ORDER BY {quote_name(table.key)}) - 1) "
            f"/ {capture.chunk_rows} AS n FROM {table.source_sql} {_condition(table, part.low, part.high)}) AS numbered "
            f"GROUP BY n HAVING max(k) < {_MOST_KEY} ORDER BY n"
        )
    low = part.low
    for (bound,) in rows[:-1]:
        yield Part(part.table, low, bound)
        low = bound
    yield Part(part.table, low, part.high)


def _condition(table: CapturedTable, low: int | None, high: int | None) -> str:
    assert table.key is not None
    name = quote_name(table.key)
    conditions = [f"{name} >= {low}"] if low is not None else []
    conditions += [f"{name} < {high}"] if high is not None else []
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _enter(session: Session, exported: str, capture: Capture) -> None:
    session.rows(_REPEATABLE)
    try:
        session.rows(f"SET TRANSACTION SNAPSHOT {quote_text(exported)}")
    except TableError as error:
        raise TableRuntimeException(
            f"The snapshot in which the tables of {capture.database.place} are copied has ended with its session.",
            hint="a restarted job copies the part again that it was copying; a savepoint within a part cannot be continued",
        ) from error


def _copied(capture: Capture, part: Part, exported: str) -> Iterator[pa.RecordBatch]:
    table, shape = capture.tables[part.table], capture.shape
    row_type = RowType(shape.fields, nullable=False)
    selected = [select_sql(table.columns[field.name], field.type) for field in shape.fields]
    condition = _condition(table, part.low, part.high) if table.key is not None else ""
    with capture.session() as session:
        _enter(session, exported, capture)
        with session.reader(f"SELECT {', '.join(map(str, selected)) or '1'} FROM {table.source_sql} {condition}") as reader:
            for batch in reader:
                try:
                    rows = from_postgres(batch.columns if selected else [], row_type, table.where, batch.num_rows)
                except TableRuntimeException as error:
                    error.hint = NO_COUNTERPART  # a view, which the connector jdbc proposes, has no log
                    raise
                yield _with_metadata(capture, table, rows)


def _copied_batches(capture: Capture, part: Part, exported: str) -> list[pa.RecordBatch]:
    return list(_copied(capture, part, exported))


def _with_metadata(capture: Capture, table: CapturedTable, rows: pa.RecordBatch) -> pa.RecordBatch:
    shape, count = capture.shape, rows.num_rows
    schema = shape.schema
    columns = list(rows.columns)
    for key, type_ in zip(shape.metadata, schema.types[len(columns) :], strict=False):
        if key == "op_ts":
            columns.append(pa.repeat(pa.scalar(0, pa.timestamp("ms", "UTC")).cast(type_), count))
        elif key == "lsn":
            columns.append(pa.nulls(count, type_))
        elif key == "row_kind":
            columns.append(pa.repeat(pa.scalar(KINDS[0], type_), count))
        else:
            columns.append(constant_metadata(key, table, shape, type_, count))
    if shape.has_kinds:
        columns.append(pa.repeat(pa.scalar(0, pa.int8()), count))
    if not columns:
        return rows
    return pa.RecordBatch.from_arrays(columns, schema=schema)
