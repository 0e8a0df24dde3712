"""The physical roots of streaming plans: one that runs a graph whose outputs are sinks, and what is below any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableInternalError
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.sink import Sink, SinkWrite, row_counts, write_to
from table_runtime.steps.pipeline import Pipeline, Step, apply_steps
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphOutput, run_graph


class StatementSet(Operator):
    """Writes the outputs of a graph and yields one row with the number of rows written to each sink.

    The input of sink ``i`` is output ``i`` of the graph, directly or through a pipeline.
    """

    def __init__(self, graph: Graph, sinks: Sequence[Sink]) -> None:
        super().__init__(pa.schema([field for sink in sinks for field in sink.schema]), sinks)
        self.graph = graph
        self._sinks = sinks

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        with write_to(self._sinks, context) as writes:
            outputs = [partial(_write, OutputRows(sink), write, context) for sink, write in zip(self._sinks, writes, strict=True)]
            for _ in run_graph(self.graph, context, outputs):
                context.check()
        yield row_counts(writes, self.schema)


class OutputRows:
    """The rows of an output of a graph, as the operator ``above`` gets them: directly, or through a pipeline. Can be pickled: it holds neither the graph nor the operator."""

    def __init__(self, above: Operator) -> None:
        (below,) = above.inputs
        self._steps: Sequence[Step] = ()
        if isinstance(below, Pipeline):
            self._steps = below.steps
            (below,) = below.inputs
        assert isinstance(below, GraphOutput)
        self._has_kinds = below.has_kinds
        self.key = below.key
        """The columns by which updated rows are identified; None: that is not known."""
        self.replaces = below.before_is_deletion
        """Whether a row replaces the one with its key, which is not retracted before."""

    def batches_of(self, changes: ChangeBatch, check: Callable[[], None]) -> Iterable[pa.RecordBatch]:
        """Returns the rows to write of changes that reach the output."""
        batch = changes.as_rows(has_kinds=self._has_kinds, before_is_deletion=self.replaces)
        return apply_steps(self._steps, batch, check) if self._steps else (batch,)


def _write(rows: OutputRows, write: SinkWrite, context: ExecutionContext, changes: ChangeBatch) -> None:
    for batch in rows.batches_of(changes, context.check):
        write.write(batch)


def graph_of(root: Operator) -> Graph:
    """Returns the graph of a streaming plan's physical root."""
    operator = root.inputs[0] if isinstance(root, StatementSet) else root
    while not isinstance(operator, GraphOutput):
        if len(operator.inputs) != 1:
            raise TableInternalError(f"A streaming plan ends in {operator.name}, which is no output of a graph.")
        (operator,) = operator.inputs
    return operator.graph


def sinks_of(root: Operator) -> Sequence[Sink]:
    """Returns the sinks of a plan; none if it is a query."""
    return [operator for operator in root.inputs if isinstance(operator, Sink)] if isinstance(root, StatementSet) else ()


def has_unbounded_output(graph: Graph) -> bool:
    """Whether rows of an unbounded source come to an output without an operator that may have enough, as a LIMIT over insertions has."""
    waiting = [edge for source in graph.sources if source.is_unbounded for edge in source.edges]
    seen: set[int] = set()
    while waiting:
        edge = waiting.pop()
        if edge.node is None:
            return True
        node = graph.nodes[edge.node]
        if edge.node not in seen and not node.operator.may_finish:
            seen.add(edge.node)
            waiting += node.edges
    return False
