"""Translates a streaming plan to a graph: stateless chains to ``StatelessChain``, other nodes by the registry, scans to sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from table_api.delegation import StreamPlan
from table_api.operations import (
    CollectModifyOperation,
    ExternalQueryOperation,
    JoinQueryOperation,
    JoinType,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SinkModifyOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
)
from table_api.operations.changelog import WindowAggregateQueryOperation
from table_api.plan import Signatures
from table_common.configuration import ExecutionConfigOptions, ReadableConfig, expression_settings
from table_common.connector import RowKind
from table_common.exceptions import TableInternalError
from table_common.frozen_dataclass import replace
from table_common.tree import by_class, children_of
from table_common.types import RawType
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.formats import ROW_KIND_FIELD
from table_runtime.planner.context import LoweringContext, arrow_schema, evaluation_now
from table_runtime.planner.lowering import lower
from table_runtime.planner.other_scans import OtherScan
from table_runtime.planner.streaming.event_time import (
    check_watermark_calls,
    follows_clock,
    nodes_below_exact_windows,
    nodes_with_watermarks,
    reads_watermarks_of_results,
)
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.window_rows import WindowRows, window_rows
from table_runtime.planner.streaming.retention import retentions_of
from table_runtime.planner.streaming.rows import is_row_by_row, lower_rows
from table_runtime.run.operator import Operator
from table_runtime.sinks.collect import Collect
from table_runtime.sinks.sink import Sink
from table_runtime.steps.not_null import NotNull
from table_runtime.steps.pipeline import Pipeline
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.graph.graph_run import GraphOutput
from table_runtime.streaming.graph.nodes_above import nodes_above
from table_runtime.streaming.graph.statement_set import StatementSet, graph_of
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.sink_materialize import SinkMaterialize
from table_runtime.streaming.time.alignment import Alignment
from table_runtime.streaming.time.clock import RunClock
from table_runtime.udf.values import holds

_CHANGE_COLUMN = "$change"


def stream_graph(plan: StreamPlan, configuration: ReadableConfig) -> Graph:
    """Returns the graph of a plan, for an engine that runs it in its own way. Output ``i`` of the graph is that of operation ``i`` of the plan.

    Raises:
        TableException: an operation cannot run on changelogs, or a sink cannot be written.
    """
    return graph_of(stream_root(plan, configuration))


def stream_root(
    plan: StreamPlan, configuration: ReadableConfig, *, nets_batches: bool | None = None, other_scan: OtherScan | None = None
) -> Operator:
    """Returns the physical root of a plan, for an engine that runs the graph below in its own way: ``graph_of`` and ``sinks_of`` take it apart.

    ``nets_batches``: operators give the net changes of a batch, as with the option for mini-batches, which decides by default. ``other_scan`` returns
    the scans of sources that only that engine reads.

    Raises:
        TableException: an operation cannot run on changelogs, or a sink cannot be written.
    """
    lowering = LoweringContext(evaluation_now(configuration), configuration, is_bounded=False, other_scan=other_scan)
    return translate_stream(plan, lowering, nets_batches=nets_batches)


def translate_stream(plan: StreamPlan, lowering: LoweringContext, *, nets_batches: bool | None = None) -> Operator:
    """Returns the physical root of the plan. Reading it runs the graph, which all operations share."""
    has_option = lowering.configuration.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED)
    nets = has_option if nets_batches is None else nets_batches
    size = lowering.configuration.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE)
    retention = lowering.configuration.get(ExecutionConfigOptions.IDLE_STATE_RETENTION) // timedelta(milliseconds=1)
    clock = RunClock()
    lowering = replace(lowering, evaluation=replace(lowering.evaluation, clock=clock.nanoseconds))
    context = StreamContext(plan, lowering, nets_batches=nets, retention=retention)
    translation = _Translation(context, (size if size > 0 else BATCH_ROWS) if has_option else None, clock)
    translation.graph.state_memory = lowering.configuration.get(ExecutionConfigOptions.TABLE_EXEC_STATE_MEMORY)
    translation.add([operation.child for operation in plan.operations])
    sinks = [operation for operation in plan.operations if isinstance(operation, SinkModifyOperation)]
    if sinks:
        root: Operator = StatementSet(translation.graph, [_sink(operation, translation, lowering) for operation in sinks])
    else:
        (operation,) = plan.operations
        assert isinstance(operation, CollectModifyOperation)
        root = _collect(operation, translation, lowering)
    _wait_for_no_unbounded_input(translation.graph)
    return root


def _wait_for_no_unbounded_input(graph: Graph) -> None:
    """Tells operators that would read an input to its end first that it has none."""
    for source in graph.sources:
        for _, node, input_index in nodes_above(graph.nodes, source.edges) if source.is_unbounded else ():
            if node.operator.input_to_read_first == input_index:
                node.operator.waits_for_first_input = False


def _sink(operation: SinkModifyOperation, translation: _Translation, lowering: LoweringContext) -> Sink:
    assert operation.sink is not None
    changes = translation.context.changes_of(operation.child)
    mode = operation.sink.get_changelog_mode(changes.changelog_mode)
    # An upsert sink may receive UPDATE_BEFORE rows: one without a following UPDATE_AFTER is a deletion.
    output = translation.output_of(
        operation.child,
        before_is_deletion=not mode.contains(RowKind.UPDATE_BEFORE),
        materializes=operation if operation.upsert_materialize else None,
    )
    has_row_kinds = operation.upsert_materialize or not changes.is_insert_only
    sink = lower(replace(operation, has_row_kinds=has_row_kinds), [output], lowering)
    assert isinstance(sink, Sink)
    return sink


def _collect(operation: CollectModifyOperation, translation: _Translation, lowering: LoweringContext) -> Operator:
    child: Operator = translation.output_of(operation.child)
    schema = child.schema
    required = [index for index, field in enumerate(arrow_schema(operation.child.resolved_schema, lowering)) if not field.nullable]
    if required:
        child = Pipeline.over(child, NotNull(schema, required, "the result"))
    return Collect(child, schema)


def _materializer(operation: SinkModifyOperation, context: StreamContext) -> AnyOperator:
    key = operation.table.table.resolved_schema.primary_key
    assert key is not None
    names = [column.name for column in operation.consumed_columns]
    return SinkMaterialize(
        arrow_schema(operation.child.resolved_schema, context.lowering),
        [names.index(name) for name in key.columns],
        table=operation.table.identifier.as_summary_string(),
        conflict=operation.on_conflict,
        input_key=context.key_of(operation.child),
    )


class _Translation:
    def __init__(self, context: StreamContext, batch_rows: int | None, clock: RunClock) -> None:
        self.context = context
        self.graph = Graph(batch_rows=batch_rows, clock=clock)
        self._edges: dict[int, list[Edge]] = {}
        self._outputs = 0
        self._signatures = Signatures(context.plan, expression_settings(context.lowering.configuration))
        self._window_rows: dict[int, WindowRows | None] = {}
        self._below_exact_windows: set[int] = set()

    def add(self, roots: Sequence[QueryOperation]) -> None:
        """Adds the nodes of queries; a node that several of them share is added once."""
        check_watermark_calls(roots)
        with_watermarks = nodes_with_watermarks(roots)
        self.graph.cuts_at_watermarks = reads_watermarks_of_results(roots)
        self._below_exact_windows = nodes_below_exact_windows(roots, lambda node: self.context.changes_of(node).is_insert_only)
        chains = _chains(roots, self._inputs_of)
        with_watermarks.update(id(rows.top) for rows in self._window_rows.values() if rows and id(rows.function) in with_watermarks)
        for node, chain in chains:
            self._add(node, chain, has_watermarks=id(node) in with_watermarks)

    def output_of(
        self, root: QueryOperation, *, before_is_deletion: bool = False, materializes: SinkModifyOperation | None = None
    ) -> GraphOutput:
        """Adds an output for a query, after the operator that keeps the rows of the sink ``materializes``; returns the output as an operator."""
        edges = self._edges[id(root)]
        if materializes is not None:
            edges.append(Edge(len(self.graph.nodes), 0))
            last = Node(_materializer(materializes, self.context), 1, retentions=(self.context.retention,))
            last.signature = self._signatures.of_sink(materializes)
            last.raw_column = _raw_column(root)
            self.graph.nodes.append(last)
            edges = last.edges
        edges.append(Edge(None, self._outputs))
        self._outputs += 1
        changes = self.context.changes_of(root)
        schema = arrow_schema(root.resolved_schema, self.context.lowering)
        has_kinds = materializes is not None or not changes.is_insert_only
        if has_kinds:
            schema = schema.append(ROW_KIND_FIELD)
        key = self.context.key_of(root) if materializes is None else None
        return GraphOutput(self.graph, schema, has_kinds=has_kinds, before_is_deletion=before_is_deletion, key=key)

    def _add(self, node: QueryOperation, chain: Sequence[QueryOperation], *, has_watermarks: bool) -> None:
        """Adds a node, or the chain of stateless nodes that ends with it."""
        if isinstance(node, (SourceQueryOperation, ValuesQueryOperation, ExternalQueryOperation)):
            self._edges[id(node)] = self._add_source(node)
            return
        below = chain[0] if chain else node
        children = self._inputs_of(below)
        operator = lower_rows(chain, self.context, has_watermarks=has_watermarks) if chain else lower_node(node, self.context)
        number = len(self.graph.nodes)
        retentions = retentions_of(node, self.context.retention)
        added = Node(operator, len(children), retentions=retentions, follows_clock=follows_clock(node))
        if not chain:
            added.signature = self._signatures.of(node)
            added.raw_column = next((column for child in children if (column := _raw_column(child)) is not None), None)
            added.signature = {**added.signature, **operator.layout()}
        added.text = "; ".join(_text(each) for each in chain)
        added.fires_at_each_watermark = has_watermarks and (
            operator.emits_late_rows or (id(node) in self._below_exact_windows and operator.emits_at_watermarks)
        )
        self.graph.nodes.append(added)
        self._edges[id(node)] = added.edges
        for index, child in enumerate(children):
            self._edges[id(child)].append(Edge(number, index))

    def _inputs_of(self, node: QueryOperation) -> Sequence[QueryOperation]:
        """Returns the nodes whose rows a node reads: its children, or, of an aggregate of windows, what is below the window table function."""
        if not isinstance(node, WindowAggregateQueryOperation):
            return children_of(node, QueryOperation)
        if id(node) not in self._window_rows:
            self._window_rows[id(node)] = window_rows(node, self.context)
        rows = self._window_rows[id(node)]
        return (node.child,) if rows is None else (rows.top,)

    def _add_source(self, node: SourceQueryOperation | ValuesQueryOperation | ExternalQueryOperation) -> list[Edge]:
        lowering = self.context.lowering
        has_kinds = not self.context.changes_of(node).is_insert_only
        schema = arrow_schema(node.resolved_schema, lowering)
        read = node.with_changes(_CHANGE_COLUMN) if has_kinds and isinstance(node, SourceQueryOperation) else node
        other = (
            lowering.other_scan(node, None, schema)
            if isinstance(node, ExternalQueryOperation) and lowering.other_scan is not None
            else None
        )
        source = Source(lower(read, (), lowering) if other is None else other, schema, has_kinds)
        if isinstance(node, SourceQueryOperation):
            source.table = node.table.identifier.as_summary_string()
            source.key = _key_of(node)
            source.asked = _details(node.pushed.chosen_rows())
            source.alignment, source.idle_timeout = _waiting(node, lowering)
        elif source.is_unbounded:
            source.table = node.summary_name
        self.graph.sources.append(source)
        return source.edges


def _key_of(node: SourceQueryOperation) -> tuple[int, ...]:
    key, names = node.table.table.resolved_schema.primary_key, node.resolved_schema.column_names
    return tuple(map(names.index, key.columns)) if key is not None and set(key.columns) <= set(names) else ()


def _raw_column(node: QueryOperation) -> str | None:
    columns = node.resolved_schema.columns
    return next((f"{column.name} {column.data_type}" for column in columns if holds(column.data_type, RawType)), None)


def _text(node: QueryOperation) -> str:
    return f"{node.summary_name}({_details(node.summary_details())})"


def _details(details: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name}={value if isinstance(value, list) else [value]}" for name, value in details)


def _waiting(scan: SourceQueryOperation, lowering: LoweringContext) -> tuple[Alignment | None, int]:
    """Returns the alignment group of a table, and after how many milliseconds without rows it is idle."""
    params, millisecond = scan.watermark_params, timedelta(milliseconds=1)
    timeout = params.idle_timeout
    if timeout is None:
        timeout = lowering.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SOURCE_IDLE_TIMEOUT)
    if params.alignment_group is None or params.max_drift is None:
        return None, timeout // millisecond
    return Alignment(params.alignment_group, params.max_drift // millisecond), timeout // millisecond


@by_class
def _reads_right_first(node: QueryOperation) -> bool:
    """Whether the right sources are read first, so that each left row finds all its matches and is emitted once."""
    return False


@_reads_right_first.register(JoinQueryOperation)
def _join_reads_right_first(node: JoinQueryOperation) -> bool:
    return node.join_type is not JoinType.RIGHT_OUTER


@_reads_right_first.register(SetQueryOperation)
def _set_reads_right_first(node: SetQueryOperation) -> bool:
    return node.kind is SetOperationType.MINUS


def _chains(
    roots: Sequence[QueryOperation], inputs_of: Callable[[QueryOperation], Sequence[QueryOperation]]
) -> list[tuple[QueryOperation, list[QueryOperation]]]:
    """Returns the nodes of the graph, inputs first, each with the chain of stateless nodes that runs in it, lowest first."""
    order: list[QueryOperation] = []
    seen: set[int] = set()
    stack: list[tuple[QueryOperation, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_ready = stack.pop()
        if is_ready:
            order.append(node)
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        stack.append((node, True))
        inputs = inputs_of(node)
        stack.extend((child, False) for child in (inputs if _reads_right_first(node) else reversed(inputs)))
    readers = Counter(id(child) for node in order for child in inputs_of(node))
    readers.update(map(id, roots))
    chains: dict[int, list[QueryOperation]] = {}
    result: list[tuple[QueryOperation, list[QueryOperation]]] = []
    inside = {
        id(child) for node in order if is_row_by_row(node) for child in inputs_of(node) if is_row_by_row(child) and readers[id(child)] == 1
    }
    for node in order:
        if is_row_by_row(node):
            (child,) = inputs_of(node)
            chains[id(node)] = [*(chains[id(child)] if id(child) in inside else ()), node]
        if id(node) not in inside:
            result.append((node, chains.get(id(node), [])))
    if not result:
        raise TableInternalError("A streaming plan has no nodes.")
    return result
