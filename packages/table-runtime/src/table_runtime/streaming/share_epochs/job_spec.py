"""What a streaming job in shares is, whatever its attempt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from table_common.configuration import ReadableConfig
from table_common.frozen_dataclass import dataclass
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.statement_set import OutputRows
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.operators.exchange_keys import GLOBAL
from table_runtime.streaming.shares.cut import Levels, OutputKey, cut, output_keys
from table_runtime.streaming.shares.net_changes import merged_changes
from table_runtime.streaming.shares.shared_job import SharedJobState
from table_runtime.streaming.shares.wire import OUTPUT
from table_runtime.streaming.time.watermarks import END_OF_TIME


def levels_of(root: Operator, graph: Graph, shares: int) -> Levels:
    """Returns the levels of a plan. Tasks write sinks only where inputs are unbounded: else the rows come to this process, which commits them at the end.

    Raises:
        TableException: the graph cannot be cut, or a sink has no epochs.
    """
    return cut(graph, shares, output_keys(root) if any(source.is_unbounded for source in graph.sources) else ())


@dataclass(frozen=True, slots=True)
class JobSpec:
    """The description of a job, the same for all attempts: its graph in levels, its outputs, and its client."""

    graph: Graph
    levels: Levels
    layout: JobLayout
    schemas: Mapping[int, pa.Schema]
    """The schema of the rows of each output."""
    outputs: Sequence[OutputRows]
    keys: Sequence[OutputKey | None]
    """The keys of the sinks; empty for a query."""
    configuration: ReadableConfig
    context: ExecutionContext
    requests: JobRequests
    name: str
    """The name of the job."""
    is_once: bool = False
    """Whether the rows are read that are there, and no others."""

    def write(self, results: Mapping[int, Sequence[ChangeBatch]], give: Callable[[int, Any], None]) -> None:
        """Gives the rows of all outputs, as their readers take them."""
        for output, batches in results.items():
            for changes in batches:
                for batch in self.outputs[output].batches_of(changes, self.context.check):
                    give(output, batch)

    def all_changes(self, results: Mapping[int, Sequence[Sequence[ChangeBatch]]]) -> Mapping[int, Sequence[ChangeBatch]]:
        """Returns the changes of each output, of which ``results`` has those of each task."""
        return {output: list(chain(*parts)) for output, parts in results.items()}

    def net(self, results: Mapping[int, Sequence[Sequence[ChangeBatch]]]) -> Mapping[int, Sequence[ChangeBatch]]:
        """Returns the net changes of each output: the rows of one key of its sink may come from several shares."""
        return {output: self._net_of(output, parts) for output, parts in results.items()}

    def _net_of(self, output: int, parts: Sequence[Sequence[ChangeBatch]]) -> Sequence[ChangeBatch]:
        key = self.keys[output] if self.keys else None
        if self.levels.shares == 1 or output in self.levels.levels[0].outputs or self._is_divided(output, key):
            return list(chain(*parts))
        return merged_changes(parts, self.schemas[output], key.columns if key is not None and key.replaces else ())

    def _is_divided(self, output: int, key: OutputKey | None) -> bool:
        """Whether all rows of one key come from one share, in their order."""
        divided, columns = self.levels.divided.get(output), self.outputs[output].key if key is None else key.columns
        if isinstance(divided, tuple):
            return columns is not None and set(divided) <= set(columns) and not (key is not None and key.is_changed)
        return divided is GLOBAL

    def output_watermarks(self, state: SharedJobState) -> list[int | None]:
        """Returns the event time to which the rows of each sink have come; None without event time."""
        found: list[list[int]] = [[] for _ in self.layout.sinks]
        level = self.levels.levels[0]
        for source, progress in zip(level.sources, state.sources, strict=True):
            for target, place in source.marks.items():
                if target.node == OUTPUT:
                    own = NO_WATERMARK if place is None else progress.reached.get(level.numbers[place], NO_WATERMARK)
                    found[target.input_index].append(END_OF_TIME if progress.has_ended and place is not None else own)
        for number, values in state.watermarks.items():
            for edge in self.graph.nodes[number].edges:
                if edge.node is None:
                    found[edge.input_index].append(values[0])
        least = [min(watermarks, default=NO_WATERMARK) for watermarks in found]
        return [None if watermark == NO_WATERMARK else watermark for watermark in least]
