"""Where the results of a job go: to the reader of a query, or to sinks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import cast_to_schema
from table_runtime.operators.channel import Channel
from table_runtime.operators.collect import Collect
from table_runtime.operators.operator import Operator
from table_runtime.operators.pipeline import Pipeline
from table_runtime.operators.sink import Sink
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph_run import GraphOutput
from table_runtime.streaming.job.in_process.writer import WriterThread

__all__ = ["CollectOutput", "JobOutput", "SinkOutput"]


class JobOutput(ABC):
    """An output of the graph."""

    def __init__(self, above: Operator) -> None:
        """``above`` reads the output of the graph, directly or through a pipeline."""
        (below,) = above.inputs
        self._steps = below if isinstance(below, Pipeline) else None
        (output,) = below.inputs if self._steps is not None else (below,)
        assert isinstance(output, GraphOutput)
        self._output = output

    def batches_of(self, changes: ChangeBatch, check: Callable[[], None]) -> Iterable[pa.RecordBatch]:
        """Returns the rows to write of changes that reach the output."""
        batch = self._output.batch_of(changes)
        return (batch,) if self._steps is None else self._steps.apply(batch, check)

    @abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Gives rows on; waits while too many are not taken."""


class CollectOutput(JobOutput):
    """Gives the rows of a query to its reader as they come."""

    def __init__(self, root: Collect, channel: Channel) -> None:
        super().__init__(root)
        self._schema = root.schema
        self._channel = channel

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        self._channel.put(cast_to_schema(batch, self._schema))  # as a whole: see ``LiveTable``


class SinkOutput(JobOutput):
    """Gives rows to the thread that writes them to a sink."""

    def __init__(self, sink: Sink, number: int, writer: WriterThread) -> None:
        super().__init__(sink)
        self._number = number
        self._writer = writer

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write(self._number, batch)
