"""Where the results of a job go: to the reader of a query, or to sinks."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import cast_to_schema
from table_runtime.run.channel import Channel
from table_runtime.sinks.collect import Collect
from table_runtime.sinks.sink import Sink
from table_runtime.streaming.graph.statement_set import OutputRows
from table_runtime.streaming.job.in_process.writer import WriterThread


class JobOutput(OutputRows, ABC):
    """An output of the graph, and where its rows go."""

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
