"""``TableResult``: the schema and rows of a statement, and its job."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import tzinfo
from enum import Enum
from typing import TYPE_CHECKING, Any, TextIO

from table_api.delegation import JobClient
from table_api.rendering import TableauStyle
from table_api.table_result.closeable_iterator import CloseableIterator
from table_api.table_result.limited import LimitedBatches, check_limits
from table_api.table_result.row_iterator import RowIterator, python_rows
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.data import ResultRow, Row
from table_common.exceptions import JobTimeoutException, TableException

if TYPE_CHECKING:
    from table_api.jobs.job import Job
    from table_api.table_result.live_table import LiveTable
    from table_api.table_schema import TableSchema


class ResultKind(Enum):
    """Whether a statement returns rows.

    Example:
        >>> env.execute_sql("SHOW TABLES").get_result_kind()
        <ResultKind.SUCCESS_WITH_CONTENT: 'SUCCESS_WITH_CONTENT'>

    Source: Flink's ``org.apache.flink.table.api.ResultKind``.
    """

    SUCCESS = "SUCCESS"
    """The statement ran; the only row is ``OK``."""
    SUCCESS_WITH_CONTENT = "SUCCESS_WITH_CONTENT"
    """The statement returns rows."""


class TableResult:
    """The result of a statement. The rows of a job can be read once, while it runs; those of a statement without a job any number of times.

    Example:
        >>> from table_api import EnvironmentSettings, TableEnvironment
        >>> env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
        >>> with env.execute_sql("SELECT 1 AS a").collect() as rows:
        ...     [row.a for row in rows]
        [1]
        >>> env.execute_sql("SELECT 1 AS a").to_arrow().to_pydict()
        {'a': [1]}

    Source: Flink's ``org.apache.flink.table.api.TableResult``.
    """

    def __init__(
        self,
        schema: ResolvedSchema,
        kind: ResultKind = ResultKind.SUCCESS_WITH_CONTENT,
        *,
        rows: Sequence[Sequence[object]] | None = None,
        job: Job | None = None,
        style: TableauStyle | None = None,
        time_zone: tzinfo | None = None,
        repeatable: bool = False,
    ) -> None:
        """Internal; has ``rows``, or a ``job`` that produces them. The rows of a ``repeatable`` job can be read again."""
        self._schema = schema
        self._kind = kind
        self._rows = rows
        self._job = job
        self._style = style if style is not None else TableauStyle(max_column_width=None, null="")
        self._time_zone = time_zone
        self._repeatable = repeatable
        self._is_read = False

    # --- description -------------------------------------------------------------------------------------------------------------

    def get_resolved_schema(self) -> ResolvedSchema:
        """Returns names and types of the columns."""
        return self._schema

    def get_table_schema(self) -> TableSchema:
        """Returns names and types of the columns, as PyFlink's older class."""
        from table_api.table_schema import TableSchema  # few programs need it

        return TableSchema.of(self._schema)

    def get_result_kind(self) -> ResultKind:
        """Returns whether the statement returns rows."""
        return self._kind

    @property
    def style(self) -> TableauStyle:
        """The style of ``print``."""
        return self._style

    @property
    def time_zone(self) -> tzinfo | None:
        """The zone of the Python objects of TIMESTAMP_LTZ values; None is UTC."""
        return self._time_zone

    def get_job_client(self) -> JobClient | None:
        """Returns the handle of the job, or None if the statement has no job."""
        return self._job.client if self._job is not None else None

    @property
    def is_unbounded(self) -> bool:
        """Whether the job reads an unbounded source, so that its rows come until it is stopped."""
        return self._job is not None and self._job.is_unbounded

    @property
    def writes(self) -> bool:
        """Whether the job writes to tables; its only row is then the number of rows written."""
        return self._repeatable

    def get_warnings(self) -> Sequence[str]:
        """Returns what the job has lost so far, a sentence each: late rows that an operator dropped, and retractions of rows that do not exist.

        Complete when all rows were read, or after ``wait`` of an INSERT.
        """
        return tuple(self._job.client.get_warnings()) if self._job is not None else ()

    def wait(self, timeout_ms: int | None = None) -> None:
        """Waits for the first rows of a query, or for the end of an INSERT.

        Args:
            timeout_ms: how many milliseconds to wait at most; None waits without a limit.

        Raises:
            JobTimeoutException: the time passed; the job continues.
            TableRuntimeException: the job failed.
            JobCancelledException: the job was cancelled.
        """
        if self._job is not None and not self._job.wait(None if timeout_ms is None else timeout_ms / 1000):
            raise JobTimeoutException(f"Job {self._job.client.job_id} was not ready within {timeout_ms} ms; it continues.")

    def await_(self, timeout_ms: int | None = None) -> None:
        """Does what ``wait`` does, under Flink's name."""
        self.wait(timeout_ms)

    # --- rows --------------------------------------------------------------------------------------------------------------------

    def collect(self, *, max_rows: int | None = None, timeout: float | None = None) -> CloseableIterator[Row]:
        """Returns the rows while the job runs, each with its ``RowKind``; use a ``with`` block unless all rows are read.

        Rows of an unbounded query come as they are made; closing the iterator ends the job. So does a limit: after ``max_rows`` rows, or
        ``timeout`` seconds after this call, the iterator ends.

        NULL is None. Dates and times are objects of ``datetime``, or of ``NanosecondDatetime``, ``NanosecondTime`` and
        ``NanosecondTimedelta`` if they have digits below microseconds. A year outside 1 to 9999 is an error when its row is read;
        ``to_arrow`` and ``to_batches`` can hold it.

        Raises:
            ValidationException: a limit is negative.
            TableException: the rows of the job were read before.
            TableRuntimeException: while reading, the job failed, or a value has no Python object.
        """
        rows, close = self._rows_by_batch(max_rows, timeout)
        return RowIterator.of_parts(rows, close)

    async def __aiter__(self) -> AsyncIterator[Row]:
        """Yields the rows for ``async for``, as ``collect`` does; other tasks run while it waits. Closing the generator ends the job."""
        from table_api.table_result.asynchronous import rows_of

        rows, close = self._rows_by_batch(None, None)
        async for row in rows_of(rows, close):
            yield row

    def to_batches(self, *, max_rows: int | None = None, timeout: float | None = None) -> Iterator[Any]:
        """Yields the rows as ``pyarrow.RecordBatch``[n × k], in the canonical Arrow schema; k is the number of columns.

        A changelog has one more column at the end, the row kinds as int8. The limits are those of ``collect``.

        Raises:
            ValidationException: a limit is negative.
            TableException: the rows of the job were read before.
            TableRuntimeException: the job failed.
        """
        if self._job is not None:
            from table_common.arrow import import_batch

            yield from map(import_batch, self._read(max_rows, timeout))
        else:
            from table_common.arrow import from_python_rows

            rows = [tuple(row) for row in self._rows or ()]
            yield from_python_rows(rows[:max_rows], self._schema.to_row_type(), time_zone=self._time_zone)

    def to_arrow(self, *, apply_changes: bool = False, max_rows: int | None = None, timeout: float | None = None) -> Any:
        """Returns all rows as a ``pyarrow.Table``, in the canonical Arrow schema; errors are those of ``to_batches``.

        Args:
            apply_changes: of a changelog, return the rows that remain after all changes, without the column of row kinds.
            max_rows: how many rows, or changes, to read at most.
            timeout: for how many seconds to read at most.

        Raises:
            TableException: the query is unbounded, and there is no limit.
        """
        from table_common.arrow import apply_changes as remaining_rows
        from table_common.arrow import table_of_batches

        self._require_end("to_arrow", max_rows, timeout)
        table = table_of_batches(self.to_batches(max_rows=max_rows, timeout=timeout), self._schema.to_row_type())
        return remaining_rows(table, len(self._schema.columns)) if apply_changes else table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Exports the rows as a stream of the Arrow C interface; the job produces batches as the consumer reads them."""
        from table_common.arrow import stream_of_batches

        return stream_of_batches(self.to_batches(), self._schema.to_row_type()).__arrow_c_stream__(requested_schema)

    def to_pandas(self, *, max_rows: int | None = None, timeout: float | None = None) -> Any:
        """Returns all rows as a ``pandas.DataFrame``; of a changelog the rows that remain after all changes. The limits are those of ``to_arrow``.

        Timestamps are in the unit of their precision: seconds for 0, milliseconds up to 3, microseconds up to 6, nanoseconds above.

        Raises:
            TableException: pandas is not installed, the rows of the job were read before, or the query is unbounded and there is no limit.
            TableRuntimeException: the job failed.
        """
        self._require_end("to_pandas", max_rows, timeout)
        from table_api.table_result.pandas_frame import data_frame

        return data_frame(self._schema, lambda: self.to_arrow(apply_changes=True, max_rows=max_rows, timeout=timeout))

    def _repr_html_(self) -> str:
        """Returns the columns as notebooks show them, with the first rows if they are there: the display reads no rows of a job, which can be read once."""
        from table_api.table_result.html import SHOWN_ROWS, Preview, html_of_preview

        if self._job is not None:
            return html_of_preview(
                Preview(self._schema, ()), "The rows can be read once: to_pandas(), print(), collect() or live() reads them"
            )
        rows = list(ResultRow.of_rows(self._schema.column_names, map(tuple, self._rows or ())))
        return html_of_preview(Preview(self._schema, rows[:SHOWN_ROWS], has_more=len(rows) > SHOWN_ROWS))

    def live(self) -> LiveTable:
        """Returns the table that the changes make, which a thread keeps up to date while the query runs; closing it ends the job.

        Raises:
            TableException: the statement is no query, or its rows were read before.
        """
        from table_api.table_result.live_table import LiveTable  # few programs need it

        if self._job is None:
            raise TableException("live() is for the rows of queries; this statement has no job.", hint="to_arrow() returns its rows")
        return LiveTable(self._read(None, None), self._schema, self._time_zone)

    def print(self, output: TextIO | None = None, *, before_output: Callable[[], None] | None = None) -> None:
        """Writes the rows as a text table, by default to standard output; ``before_output`` is called once, before the first write.

        Rows of an unbounded query are written as they come, until Ctrl-C is pressed.
        """
        target = output if output is not None else sys.stdout
        with self.collect() as rows:
            if not self.is_unbounded:
                self._style.print(self._schema, rows, target, before_output)
                return
            from table_api.rendering import UntilInterrupted, flushing

            with UntilInterrupted(rows) as until:
                self._style.print(self._schema, until, flushing(target), before_output)

    def _rows_by_batch(self, max_rows: int | None, timeout: float | None) -> tuple[Iterator[list[ResultRow]], Callable[[], None]]:
        """Returns the rows of each batch, and what ends the job."""
        if self._job is None:
            check_limits(max_rows, timeout)
            return iter([ResultRow.of_rows(self._schema.column_names, map(tuple, (self._rows or ())[:max_rows]))]), _nothing
        batches = self._read(max_rows, timeout)
        return python_rows(batches, self._schema, self._time_zone), getattr(batches, "close", _nothing)

    def _require_end(self, method: str, max_rows: int | None, timeout: float | None) -> None:
        if self.is_unbounded and max_rows is None and timeout is None:
            raise TableException(
                f"{method}() needs all rows, but this query is unbounded.",
                hint=f"{method}(max_rows=1000) or {method}(timeout=5) reads a part; live() has the table that the changes make at any time",
            )

    def _read(self, max_rows: int | None = None, timeout: float | None = None) -> Iterator[SupportsArrowArray]:
        assert self._job is not None
        check_limits(max_rows, timeout)
        if self._is_read and not self._repeatable:
            raise TableException(
                "The rows of this result were read before.", hint="keep them with list(result.collect()), or run the statement again"
            )
        self._is_read = True
        if max_rows is None and timeout is None:
            return self._job.batches()
        return LimitedBatches(self._job, max_rows, timeout)


def _nothing() -> None:
    """Ends a result without a job."""
