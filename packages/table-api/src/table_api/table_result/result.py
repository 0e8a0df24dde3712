"""``TableResult``: the rows of a statement, its schema, and the job that makes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from enum import Enum
from importlib.util import find_spec
from typing import Any, Protocol, TextIO

from table_api.delegation import JobClient
from table_api.rendering import TableauStyle
from table_api.table_result.closeable_iterator import CloseableIterator
from table_api.table_result.result_row import ResultRow
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.data import Row, RowKind
from table_common.exceptions import JobTimeoutException, TableException

__all__ = ["Job", "ResultKind", "TableResult"]


class ResultKind(Enum):
    """Whether a statement has rows to show."""

    SUCCESS = "SUCCESS"
    """It is done; its only row says OK."""
    SUCCESS_WITH_CONTENT = "SUCCESS_WITH_CONTENT"
    """It has rows."""


class Job(Protocol):
    """What a result needs of the job behind it."""

    @property
    def client(self) -> JobClient:
        """The handle to watch and cancel it."""

    def batches(self) -> Iterator[SupportsArrowArray]:
        """Yields the rows as record batches; closing the iterator stops the job."""

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the first rows are there or the job has ended; returns False if the seconds passed before."""


class TableResult:
    """The result of a statement; rows are read once, as they come, unless the statement needed no job.

    Example:
        >>> from table_api import EnvironmentSettings, TableEnvironment
        >>> env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
        >>> with env.execute_sql("SELECT 1 AS a").collect() as rows:
        ...     [row.a for row in rows]
        [1]
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
        """Has ``rows``, or a ``job`` that makes them; those of a ``repeatable`` job can be read again."""
        self._schema = schema
        self._kind = kind
        self._rows = rows
        self._job = job
        self._style = style if style is not None else TableauStyle(max_column_width=None, null="")
        self._time_zone = time_zone
        self._repeatable = repeatable
        self._is_read = False

    # --- what it is --------------------------------------------------------------------------------------------------------------

    def get_resolved_schema(self) -> ResolvedSchema:
        """Returns the columns."""
        return self._schema

    def get_table_schema(self) -> ResolvedSchema:
        """Returns the columns, under PyFlink's older name."""
        return self._schema

    def get_result_kind(self) -> ResultKind:
        """Returns whether there are rows to show."""
        return self._kind

    @property
    def style(self) -> TableauStyle:
        """How ``print`` shows it."""
        return self._style

    def get_job_client(self) -> JobClient | None:
        """Returns the handle on the job, or None if the statement needed none."""
        return self._job.client if self._job is not None else None

    def wait(self, timeout_ms: int | None = None) -> None:
        """Waits until a query's first rows are there, or an INSERT has ended.

        Raises:
            JobTimeoutException: the milliseconds passed before; the job goes on.
            TableRuntimeException: the job failed.
        """
        if self._job is not None and not self._job.wait(None if timeout_ms is None else timeout_ms / 1000):
            raise JobTimeoutException(f"Job {self._job.client.job_id} was not ready within {timeout_ms} ms; it goes on.")

    def await_(self, timeout_ms: int | None = None) -> None:
        """Does what ``wait`` does, under Flink's name."""
        self.wait(timeout_ms)

    # --- its rows ----------------------------------------------------------------------------------------------------------------

    def collect(self) -> CloseableIterator[Row]:
        """Returns the rows as they come, each with its ``RowKind``; use it in a ``with`` block if not all of them are read.

        Dates and times are those of ``datetime``; with digits below microseconds they are ``NanosecondDatetime``, ``NanosecondTime`` and
        ``NanosecondTimedelta``. A value outside of the years 1 to 9999 is an error when its row is read; ``to_arrow`` and ``to_batches``
        hold it.

        Raises:
            TableException: the rows of the job were read already.
            TableRuntimeException: the job failed, or a value has no Python object.
        """
        if self._job is None:
            return CloseableIterator(self._named((row, RowKind.INSERT) for row in self._rows or ()))
        batches = self._read()
        rows = self._named(_python_rows(batches, self._schema, self._time_zone))
        return CloseableIterator(rows, getattr(batches, "close", None))

    def to_batches(self) -> Iterator[Any]:
        """Yields the rows as ``pyarrow.RecordBatch``es; a changelog has its row kinds in one more column, of int8."""
        if self._job is not None:
            from table_common.arrow import import_batch

            yield from map(import_batch, self._read())
        else:
            from table_common.arrow import from_python_rows

            yield from_python_rows([tuple(row) for row in self._rows or ()], self._schema.to_row_type(), time_zone=self._time_zone)

    def to_arrow(self) -> Any:
        """Returns all rows as a ``pyarrow.Table``."""
        from table_common.arrow import table_of_batches

        return table_of_batches(self.to_batches(), self._schema.to_row_type())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Exports the rows as a stream of the Arrow C interface, for any Arrow library; batches are made as they are asked for."""
        from table_common.arrow import stream_of_batches

        return stream_of_batches(self.to_batches(), self._schema.to_row_type()).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Returns all rows as a ``pandas.DataFrame``.

        Raises:
            TableException: pandas is not installed.
        """
        if find_spec("pandas") is None:
            raise TableException(
                "to_pandas() needs pandas, which is not installed.", hint="pip install 'table-runtime[pandas]', or use to_arrow()"
            )
        return self.to_arrow().to_pandas()

    def print(self, output: TextIO | None = None, *, before_output: Callable[[], None] | None = None) -> None:
        """Writes the rows as a table, by default to standard output; ``before_output`` is called once before anything is written."""
        with self.collect() as rows:
            self._style.print(self._schema, rows, output if output is not None else sys.stdout, before_output)

    def _named(self, rows: Iterable[tuple[Sequence[object], RowKind]]) -> Iterator[Row]:
        names = self._schema.column_names
        return (ResultRow.of_names(names, values, kind) for values, kind in rows)

    def _read(self) -> Iterator[SupportsArrowArray]:
        assert self._job is not None
        if self._is_read and not self._repeatable:
            raise TableException(
                "The rows of this result were read already.", hint="keep them with list(result.collect()), or run it again"
            )
        self._is_read = True
        return self._job.batches()


def _python_rows(
    batches: Iterator[SupportsArrowArray], schema: ResolvedSchema, time_zone: tzinfo | None
) -> Iterator[tuple[Sequence[object], RowKind]]:
    from table_common.arrow import import_batch, split_row_kinds, to_python_rows

    row_type = schema.to_row_type()
    for exported in batches:
        batch, kinds = split_row_kinds(import_batch(exported), len(row_type.fields))
        rows = to_python_rows([batch], row_type, time_zone=time_zone)
        if kinds is None:
            yield from ((row, RowKind.INSERT) for row in rows)
        else:
            yield from zip(rows, map(RowKind, kinds), strict=True)
