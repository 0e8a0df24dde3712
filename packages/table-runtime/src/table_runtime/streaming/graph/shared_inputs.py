"""Operators of which several inputs have the event time of one table, as in a self-join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.operator import AnyOperator, ChangelogOperator
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner


class _Edge(Protocol):
    @property
    def node(self) -> int | None: ...
    @property
    def input_index(self) -> int: ...


class _Node(Protocol):
    @property
    def operator(self) -> AnyOperator: ...
    @property
    def inputs(self) -> int: ...
    @property
    def edges(self) -> Sequence[_Edge]: ...


class SharedInputs:
    """Which inputs of the operators of a graph get their watermarks from one assigner.

    Row by row, each row would reach all inputs before the next one, and the watermark after it too. Here the rows of a batch reach one input after
    the other: the watermark of the inputs that come later is an old one.
    """

    def __init__(self, nodes: Sequence[_Node], *, cuts_at_watermarks: bool = False) -> None:
        self._nodes = nodes
        self._cuts_at_watermarks = cuts_at_watermarks
        assigners: list[list[frozenset[int]]] = [[frozenset() for _ in range(node.inputs)] for node in nodes]
        self._is_delayed = [[False] * node.inputs for node in nodes]
        for number, node in enumerate(nodes):
            is_assigner = node.operator.assigns_watermarks
            above = frozenset({number}) if is_assigner else frozenset[int]().union(*assigners[number])
            is_delayed = type(node.operator).output_watermark is not ChangelogOperator.output_watermark or any(self._is_delayed[number])
            for edge in node.edges:
                if edge.node is not None:
                    assigners[edge.node][edge.input_index] |= above
                    self._is_delayed[edge.node][edge.input_index] |= is_delayed and not is_assigner
        self._assigners = assigners
        self._others = [[self._others_of(number, index) for index in range(node.inputs)] for number, node in enumerate(nodes)]
        self._slacks = self._slacks_of_assigners()

    @property
    def all_others(self) -> Sequence[Sequence[Sequence[int]]]:
        """What ``others`` returns for each node and input."""
        return self._others

    def others(self, node: int, input_index: int) -> Sequence[int]:
        """Returns the other inputs whose current watermark bounds that of the rows of an input."""
        return self._others[node][input_index]

    def _others_of(self, node: int, input_index: int) -> list[int]:
        own = self._assigners[node][input_index]
        return [
            index
            for index, assigners in enumerate(self._assigners[node])
            if index != input_index and not (assigners and assigners <= own and not self._is_delayed[node][index])
        ]

    def _slacks_of_assigners(self) -> Mapping[int, int]:
        slacks: dict[int, int] = {}
        for number, node in enumerate(self._nodes):
            slack = node.operator.order_slack
            if slack is None:
                continue
            for assigner in range(number):
                if sum(assigner in assigners for assigners in self._assigners[number]) > 1:
                    slacks[assigner] = max(slack, slacks.get(assigner, 0))
        return slacks

    def parts(self, assigner: int, batch: ChangeBatch) -> Iterator[ChangeBatch]:
        """Yields the rows of an assigner in parts that may reach one input after the other: in each part, only the first row may be late.

        With ``cuts_at_watermarks``, all rows of a part have the same watermark before them.
        """
        slack, operator = self._slacks.get(assigner), self._nodes[assigner].operator
        if batch.before is None or batch.num_rows < 2:
            yield batch
            return
        starts = np.zeros(batch.num_rows, np.bool_)
        starts[0] = True
        if slack is not None:
            assert isinstance(operator, WatermarkAssigner)
            # A later row of the same part exceeds the watermark, so all rows that it can find in another input are still kept there.
            starts |= operator.times_of(batch.rows) - slack <= batch.before
        if self._cuts_at_watermarks:
            starts[1:] |= batch.before[1:] != batch.before[:-1]
        places = np.flatnonzero(starts).tolist()
        for start, end in zip(places, [*places[1:], batch.num_rows], strict=True):
            yield batch.slice(start, end - start)
