"""Scans: record batches of a query; several splits read one snapshot of the table."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from connector_jdbc.database import Database, Session
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.postgres_types import from_postgres
from table_common.annotation import override
from table_common.connector import ArrowScanProvider, InputSplit
from table_common.connector.sql import SqlQuery, quote_name, quote_text
from table_common.exceptions import TableError
from table_common.frozen_dataclass import dataclass, field

_MOST_ROWS = 65_536
_REPEATABLE = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


def read_rows(session: Session, query: SqlQuery[PostgresTable], text: str, fetch_size: int = 0) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a query as record batches of at most ``fetch_size`` rows.

    Raises:
        TableRuntimeException: a stored value is outside the range of the declared type; the message names the column.
    """
    where = f"PostgreSQL's table '{query.table.shown}'"
    size = fetch_size or _MOST_ROWS
    # A query without columns needs one, because COPY cannot count.
    statement = text if query.columns else text.replace("SELECT ", "SELECT 1 ", 1)
    with session.reader(statement) as reader:
        for whole in reader:
            for start in range(0, whole.num_rows, size):
                batch = whole.slice(start, size)
                columns = batch.columns if query.columns else []
                yield from_postgres(columns, query.row_type, where, batch.num_rows)


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """How a scan is split: ranges of a column, whose bounds are known or the column's minimum and maximum."""

    column: str
    count: int
    lower: int | None = None
    upper: int | None = None
    operand: str = ""
    """The column as a number."""


@dataclass(frozen=True, slots=True)
class _Part:
    conditions: tuple[str, ...] = ()
    snapshot: str | None = None


class _Snapshots:
    """The sessions of one process whose transactions keep exported snapshots; pickled copies are empty."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: list[Session] = []

    def add(self, session: Session) -> None:
        with self._lock:
            self._sessions.append(session)

    def close(self) -> None:
        with self._lock:
            sessions, self._sessions = self._sessions, []
        for session in sessions:
            session.close()

    def __del__(self) -> None:
        self.close()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return _Snapshots, ()


@dataclass(frozen=True)
class JdbcScanProvider(ArrowScanProvider):
    """Runs a query; with ``partitions``, in ranges that are read by parallel tasks in one snapshot."""

    database: Database
    query: SqlQuery[PostgresTable]
    partitions: PartitionSettings | None = None
    fetch_size: int = 0
    snapshots: _Snapshots = field(default_factory=_Snapshots, compare=False, repr=False)

    @override
    def splits(self) -> Sequence[InputSplit]:
        settings = self.partitions
        if settings is None or settings.count <= 1 or self.query.limit is not None or self.query.grouping is not None:
            return [_Part()]
        session = self.database.open()
        try:
            session.rows(_REPEATABLE)
            ((snapshot,),) = session.rows("SELECT pg_export_snapshot()")
            least, greatest = settings.lower, settings.upper
            if least is None or greatest is None:
                ((first, last),) = session.rows(
                    f"SELECT {_bound('floor', 'min', settings)}, {_bound('ceil', 'max', settings)} FROM {self.query.table.sql}"
                )
                least, greatest = first if least is None else least, last if greatest is None else greatest
        except BaseException:
            session.close()
            raise
        if least is None or greatest is None:  # no rows, or NULLs only
            session.close()
            return [_Part()]
        self.snapshots.add(session)
        return [_Part(conditions, snapshot) for conditions in _ranges(settings, int(least), int(greatest))]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, _Part)
        with self.database.session() as session:
            if split.snapshot is not None:
                self._enter(session, split.snapshot)
            yield from read_rows(session, self.query, self.query.sql(*split.conditions), self.fetch_size)

    def _enter(self, session: Session, snapshot: str) -> None:
        session.rows(_REPEATABLE)
        try:
            session.rows(f"SET TRANSACTION SNAPSHOT {quote_text(snapshot)}")
        except TableError as error:
            error.hint = (
                "the splits of a partitioned scan read one snapshot, which lives as long as the planner's connection: it was lost or closed; "
                "run the query again, or remove 'scan.partition.column'"
            )
            raise

    @override
    def close(self) -> None:
        self.snapshots.close()


def _bound(rounded: str, aggregate: str, settings: PartitionSettings) -> str:
    """Returns the SQL of the first or last value as a BIGINT, at most 9e18: infinity and NaN belong to the outer ranges, which are open."""
    value = f"{aggregate}({settings.operand})"
    return f"CASE WHEN {value} IS NOT NULL THEN {rounded}(least(greatest({value}, -9e18), 9e18)::numeric)::int8 END"


def _ranges(settings: PartitionSettings, least: int, greatest: int) -> Iterator[tuple[str, ...]]:
    """Yields conditions that together hold for each row once: the outer ranges are open, and NULL belongs to the first."""
    count = max(1, min(settings.count, greatest - least + 1))
    inner = [least + (greatest - least + 1) * index // count for index in range(1, count)]
    operand = settings.operand
    for low, high in pairwise((None, *inner, None)):
        above = f"{operand} >= {low}" if low is not None else None
        below = f"{operand} < {high}" if high is not None else None
        if low is None:
            yield (f"({below} OR {quote_name(settings.column)} IS NULL)",) if below else ()
        else:
            yield tuple(filter(None, (above, below)))
