"""Cuts a graph into levels: level 0 reads the sources, and the nodes of level n are n exchanges of rows above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass, field, replace
from table_runtime.run.operator import Operator
from table_runtime.sinks.sink import Sink
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.graph.shared_inputs import SharedInputs
from table_runtime.streaming.graph.statement_set import OutputRows, sinks_of
from table_runtime.streaming.operators.exchange_keys import GLOBAL, Division, ExchangeKeys, KeyColumns, OutputDivision, division_by
from table_runtime.streaming.shares.wire import OUTPUT, Target
from table_runtime.streaming.time.clock import RunClock


@dataclass(frozen=True, slots=True)
class OutputKey:
    """The key of a sink: rows with equal values in these columns are written by the same task.

    ``replaces``: a row replaces the one with its key, which need not be retracted before. ``is_changed``: the sink may make one key of several.
    """

    columns: tuple[int, ...]
    replaces: bool = False
    is_changed: bool = False

    @classmethod
    def of(cls, sink: Sink, output: OutputRows) -> OutputKey | None:
        """Returns the key of a sink that has the rows of an output; None if it has none."""
        return None if sink.key is None else cls(tuple(sink.key), output.replaces, sink.changes_key)

    @property
    def division(self) -> ExchangeKeys:
        """How the rows are divided."""
        return GLOBAL if self.is_changed else division_by(self.columns)


@dataclass(frozen=True, slots=True)
class OutgoingEdge:
    """An edge that leaves a level: where its rows go, how they are divided there, and the node that makes them, by its place in the level (None: a source).

    ``finds_rows_by_key``: the node above finds the row of a retraction by its key, so that a retraction with its key alone goes to all shares.
    """

    target: Target
    keys: ExchangeKeys
    node: int | None
    finds_rows_by_key: bool = False


@dataclass(frozen=True, slots=True)
class IncomingEdge:
    """An edge that comes from a lower level: where it goes, the schema of its rows, the level that they come from, and whether they come before those of other edges.

    ``source`` is the first source whose rows reach the edge: the rows of sources come to a node in the order in which one process reads them.
    ``key`` are the columns by which a row replaces another one; empty: each row that goes is retracted. ``keeps_order``: each of the rows counts.
    """

    target: Target
    schema: pa.Schema
    below: int
    is_first: bool = False
    source: int = 0
    key: tuple[int, ...] = ()
    keeps_order: bool = False


@dataclass(frozen=True, slots=True)
class LevelSource:
    """A source of level 0. ``assigners`` are the places in the level of the nodes that make the watermarks of its rows.

    ``marks`` says for each target that its rows reach which assigner makes the watermark there; None: there is none, so only the end of the source counts.
    """

    schema: pa.Schema
    has_kinds: bool
    edges: tuple[Edge, ...]
    assigners: tuple[int, ...]
    marks: Mapping[Target, int | None]
    inside: Mapping[tuple[int, int], int | None]
    """The assigner that makes the watermark of each input inside the level, by (index of the node, index of its input); None: there is none."""
    key: tuple[int, ...] = ()
    """The columns that a retraction may have alone, if a reader in another level has to find its row by them."""


@dataclass(frozen=True, slots=True)
class Level:
    """A part of a graph that a task runs, which can be pickled: it holds neither scans nor signatures.

    ``nodes`` have edges inside the level and, as outputs, to ``exits`` by their place; ``numbers`` are their numbers in the graph. ``outputs`` are the outputs of the
    graph that end here.
    """

    number: int
    nodes: tuple[Node, ...]
    numbers: tuple[int, ...]
    entries: tuple[IncomingEdge, ...]
    exits: tuple[OutgoingEdge, ...]
    outputs: tuple[int, ...]
    others: tuple[tuple[tuple[int, ...], ...], ...]
    """Per node and input: the other inputs whose watermarks bound the watermark of its rows."""
    clock: RunClock
    cuts_at_watermarks: bool
    notes_watermarks: bool
    """Whether rows and marks that leave a level carry all watermarks in force, not only the last, because a node above depends on them."""
    sources: tuple[LevelSource, ...] = ()
    is_top: bool = False
    """Whether no level is above."""

    def place_of(self, node: int) -> int:
        """Returns the place of a node of the graph in the level."""
        return self.numbers.index(node)

    @property
    def graph(self) -> Graph:
        """The nodes as a graph without sources."""
        return Graph(nodes=list(self.nodes), clock=self.clock, cuts_at_watermarks=self.cuts_at_watermarks)


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a graph, the lowest first; ``level_of`` says in which a node is. ``shares`` is the number of tasks of each level but the lowest."""

    levels: tuple[Level, ...]
    level_of: Mapping[int, int]
    shares: int
    divided: Mapping[int, OutputDivision] = field(default_factory=dict)
    """By which columns the rows of each output are divided where they are made."""

    def entries(self) -> Mapping[Target, IncomingEdge]:
        """Returns all entries by their targets."""
        return {entry.target: entry for level in self.levels for entry in level.entries}


def cut(graph: Graph, shares: int, outputs: Sequence[OutputKey | None] = ()) -> Levels:
    """Returns the levels of a graph that runs in ``shares`` shares. The rows of an output that has a key in ``outputs`` are divided by it, unless they are so already.

    Raises:
        TableException: the graph cannot be cut.
    """
    return _Cut(graph, shares, outputs).levels()


def output_keys(root: Operator) -> Sequence[OutputKey | None]:
    """Returns by which keys the rows of the sinks of a plan are divided, for ``cut``; None where tasks need not, or cannot write together what has one key.

    Raises:
        TableException: a sink has no epochs.
    """
    return [None if sink.epoch_provider().is_local else OutputKey.of(sink, OutputRows(sink)) for sink in sinks_of(root)]


class _Cut:
    def __init__(self, graph: Graph, shares: int, outputs: Sequence[OutputKey | None]) -> None:
        self._graph = graph
        self._shares = shares
        self._outputs = outputs
        self._below: dict[Target, int | None] = {}
        """The node that makes the rows of a target; None: a source."""
        self._schemas: dict[Target, pa.Schema] = {}
        for source in graph.sources:
            self._note(source.edges, None, source.schema)
        for number, node in enumerate(graph.nodes):
            self._note(node.edges, number, node.operator.schema)
        self._keys: dict[Target, ExchangeKeys] = {}
        self._divided: dict[int, OutputDivision] = {}
        for number, node in enumerate(graph.nodes):
            self._divided[number] = node.operator.output_division([self._divide(number, index) for index in range(node.inputs)])
        self._first_source: dict[Target, int] = {}
        for number, source in enumerate(graph.sources):
            self._reach(source.edges, number)
        self._level_of: dict[int, int] = {}
        self._find_levels()
        self._keys.update({target: self._output_keys(target) for target in self._below if target.node == OUTPUT})
        self._output_level = {target: self._level_above(target) for target in self._below if target.node == OUTPUT}

    def _note(self, edges: Sequence[Edge], node: int | None, schema: pa.Schema) -> None:
        for edge in edges:
            target = _target(edge)
            self._below[target] = node
            self._schemas[target] = schema

    def _reach(self, edges: Sequence[Edge], source: int) -> None:
        waiting = list(edges)
        while waiting:
            edge = waiting.pop()
            if _target(edge) not in self._first_source:
                self._first_source[_target(edge)] = source
                waiting += self._graph.nodes[edge.node].edges if edge.node is not None else ()

    def _divide(self, number: int, index: int) -> OutputDivision:
        """Decides how the rows of an input are divided, with no exchange if they already are so; returns by which columns."""
        operator, target = self._graph.nodes[number].operator, Target(number, index)
        keys, below = operator.exchange_keys(index), self._below.get(target)
        own = None if below is None else self._divided[below]
        # An operator that reads one input first gets it first from lower levels only.
        if keys is not None and operator.input_to_read_first is None and _is_so(own, keys):
            keys = None
        self._keys[target] = keys
        if keys is None:
            return own
        return keys.positions if isinstance(keys, KeyColumns) else keys if isinstance(keys, Division) else None

    def _find_levels(self) -> None:
        for number, node in enumerate(self._graph.nodes):
            level = max((self._level_above(Target(number, index)) for index in range(node.inputs)), default=0)
            if level and node.operator.assigns_watermarks:
                raise TableException(
                    f"{node.operator} makes watermarks of rows that come from shares of the job, each with rows of other keys.",
                    hint="Declare the WATERMARK in the table that is read.",
                )
            self._level_of[number] = level

    def _output_keys(self, target: Target) -> ExchangeKeys:
        """Returns how the rows of an output are divided again before they are written; None: they are written where they are."""
        key, below = self._key_of(target), self._below[target]
        if key is None:
            return None
        if below is not None and self._level_of[below]:
            divided = self._divided[below]
            is_so = divided is GLOBAL or (isinstance(divided, tuple) and set(divided) <= set(key.columns) and not key.is_changed)
            if self._shares == 1 or is_so:
                return None
        return key.division

    def _key_of(self, target: Target) -> OutputKey | None:
        return self._outputs[target.input_index] if target.node == OUTPUT and target.input_index < len(self._outputs) else None

    def _level_above(self, target: Target) -> int:
        below = self._below.get(target)
        return (0 if below is None else self._level_of[below]) + (self._keys[target] is not None)

    def _level_at(self, target: Target) -> int:
        return self._output_level[target] if target.node == OUTPUT else self._level_of[target.node]

    def levels(self) -> Levels:
        graph = self._graph
        notes = graph.cuts_at_watermarks or any(node.fires_at_each_watermark for node in graph.nodes)
        shared = SharedInputs(graph.nodes, cuts_at_watermarks=graph.cuts_at_watermarks)
        top = max([*self._level_of.values(), *self._output_level.values()], default=0)
        return Levels(
            tuple(self._level(number, top, shared, notes_watermarks=notes) for number in range(top + 1)),
            self._level_of,
            self._shares,
            {
                target.input_index: self._divided[below]
                for target, below in self._below.items()
                if target.node == OUTPUT and below is not None
            },
        )

    def _level(self, number: int, top: int, shared: SharedInputs, *, notes_watermarks: bool) -> Level:
        graph = self._graph
        numbers = tuple(node for node, level in self._level_of.items() if level == number)
        places = {node: place for place, node in enumerate(numbers)}
        exits: list[OutgoingEdge] = []

        def local(edges: Sequence[Edge], below: int | None) -> list[Edge]:
            return [Edge(places[edge.node], edge.input_index) if edge.node in places else leave(_target(edge), below) for edge in edges]

        def leave(target: Target, below: int | None) -> Edge:
            # An output that stays in the level leaves it, too: for its writer, or for the client.
            exits.append(OutgoingEdge(target, self._keys[target], below, self._finds_rows_by_key(target)))
            return Edge(None, len(exits) - 1)

        nodes = tuple(
            replace(graph.nodes[node], edges=local(graph.nodes[node].edges, place), signature=None, raw_column=None, text="")
            for place, node in enumerate(numbers)
        )
        sources = () if number else tuple(self._source(each, local(each.edges, None), places) for each in graph.sources)
        return Level(
            number,
            nodes,
            numbers,
            tuple(self._entry(target) for target in self._below if self._level_at(target) == number and self._crosses(target)),
            tuple(exits),
            tuple(target.input_index for target, level in self._output_level.items() if level == number),
            tuple(tuple(tuple(shared.others(node, index)) for index in range(graph.nodes[node].inputs)) for node in numbers),
            graph.clock,
            graph.cuts_at_watermarks,
            notes_watermarks,
            sources,
            number == top,
        )

    def _finds_rows_by_key(self, target: Target) -> bool:
        is_divided = self._shares > 1 and self._keys[target] not in (None, Division.GLOBAL)
        return is_divided and target.node != OUTPUT and self._graph.nodes[target.node].operator.finds_rows_by_key

    def _crosses(self, target: Target) -> bool:
        below = self._below[target]
        return (0 if below is None else self._level_of[below]) < self._level_at(target)

    def _entry(self, target: Target) -> IncomingEdge:
        below = self._below[target]
        level = 0 if below is None else self._level_of[below]
        source = self._first_source[target]
        if target.node == OUTPUT:
            output = self._key_of(target)
            return IncomingEdge(
                target, self._schemas[target], level, source=source, key=output.columns if output is not None and output.replaces else ()
            )
        operator, index = self._graph.nodes[target.node].operator, target.input_index
        return IncomingEdge(
            target,
            self._schemas[target],
            level,
            operator.input_to_read_first == index,
            source,
            tuple(operator.replaced_by(index)),
            operator.input_of_versions == index,
        )

    def _source(self, source: Source, edges: Sequence[Edge], places: Mapping[int, int]) -> LevelSource:
        """Returns a source; ``edges`` are its edges in the level."""
        marks: dict[Target, int | None] = {}
        inside: dict[tuple[int, int], int | None] = {}
        assigners: list[int] = []
        waiting: list[tuple[Edge, int | None]] = [(edge, None) for edge in source.edges]
        while waiting:
            edge, assigner = waiting.pop()
            if edge.node is None or edge.node not in places:
                marks[_target(edge)] = assigner
                continue
            place = places[edge.node]
            inside[place, edge.input_index] = assigner
            if self._graph.nodes[edge.node].operator.assigns_watermarks:
                assigner = place
                if place not in assigners:
                    assigners.append(place)
            waiting += [(above, assigner) for above in self._graph.nodes[edge.node].edges]
        is_found = source.has_kinds and len(source.key) < len(source.schema) and any(map(self._finds_rows_by_key, marks))
        key = source.key if is_found else ()
        return LevelSource(source.schema, source.has_kinds, tuple(edges), tuple(sorted(assigners)), marks, inside, key)


def _is_so(divided: OutputDivision, keys: ExchangeKeys) -> bool:
    """Whether rows are already divided as keys want it."""
    return divided is not None and divided == (keys.positions if isinstance(keys, KeyColumns) else keys)


def _target(edge: Edge) -> Target:
    return Target(OUTPUT if edge.node is None else edge.node, edge.input_index)
