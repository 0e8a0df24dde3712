"""The base class of operators that write. A sink pulls its input, or a streaming graph pushes batches to its write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowSinkProvider
from table_common.exceptions import TableException
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator


class SinkWrite(ABC):
    """The write of one run to one sink. The run commits what was written; until then nobody sees it."""

    def __init__(self, context: ExecutionContext, table: str) -> None:
        self.rows = 0
        self._context = context
        self._table = table

    def write(self, batch: pa.RecordBatch) -> None:
        """Writes rows and reports progress."""
        self._context.check()
        if batch.num_rows:
            self._write(batch)
            self.rows += batch.num_rows
            self._context.report(f"{self.rows} rows written to {self._table}")

    @abstractmethod
    def _write(self, batch: pa.RecordBatch) -> None:
        """Writes a batch that has rows."""

    @abstractmethod
    def finish(self) -> None:
        """Ends the write and registers it with the run, which commits it."""

    @abstractmethod
    def abort(self) -> None:
        """Discards what was written; called if this write or another part of the run failed. Does nothing to a write that the run aborts."""


class Sink(Operator):
    """Writes its input and yields one row with the number of rows written."""

    key: Sequence[int] | None = None
    """The columns of the primary key in the input; None: the table has none, so each row may be written by any task."""
    changes_key: bool = False
    """Whether steps before the write may make one key of different ones."""

    def __init__(self, child: Operator, table: str) -> None:
        super().__init__(pa.schema([pa.field(table, pa.int64(), nullable=False)]), (child,))
        self.table = table

    def epoch_provider(self) -> ArrowSinkProvider:
        """Returns the writers and committers of the epochs of an unbounded job.

        Raises:
            TableException: such a job cannot write to the sink.
        """
        raise TableException(f"A query that reads an unbounded source cannot write to {self.table}: its sink has no epochs.")

    @abstractmethod
    def open(self, context: ExecutionContext) -> SinkWrite:
        """Begins the write of a run."""

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        with write_to((self,), context) as writes:
            source = self.inputs[0].batches(context)
            try:
                for batch in source:
                    writes[0].write(batch)
            finally:
                close_iterator(source)
        yield row_counts(writes, self.schema)


@contextmanager
def write_to(sinks: Iterable[Sink], context: ExecutionContext) -> Iterator[Sequence[SinkWrite]]:
    """Opens one write per sink. Finishes all of them at the end of the block; aborts all of them if anything fails."""
    writes: list[SinkWrite] = []
    try:
        for sink in sinks:
            writes.append(sink.open(context))  # one by one: if one fails, the ones before are aborted
        yield writes
        for write in writes:
            write.finish()
    except BaseException:
        for write in writes:
            write.abort()
        raise


def row_counts(writes: Sequence[SinkWrite], schema: pa.Schema) -> pa.RecordBatch:
    """Returns one row with the number of rows of each write."""
    return pa.RecordBatch.from_arrays([pa.array([write.rows], pa.int64()) for write in writes], schema=schema)
