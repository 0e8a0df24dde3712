"""Grouping sets of groups that are divided into parts.

A set that has the keys whose hash divides the groups has no group in two parts: each part computes its groups alone. The groups of the other sets
are merged from those of the parts. Fewer keys are merged from the smallest set that has them, not from all groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from table_runtime.batch.aggregation.aggregates_by_input import Bundle
from table_runtime.batch.aggregation.keyed_aggregation import States, aligned_states

Positions = tuple[int, ...]


class DividedSets:
    """The grouping sets of an aggregation, as positions of its keys; ``dividing`` are the positions of the keys that divide the groups.

    ``bundles`` are those of all parts together; close it at the end.
    """

    def __init__(self, sets: Sequence[Positions], dividing: Sequence[int], bundles: Sequence[Bundle]) -> None:
        self.whole = [positions for positions in sets if set(dividing) <= set(positions)]
        self.merged = [positions for positions in sets if not set(dividing) <= set(positions)]
        self._every = tuple(range(len(bundles[0].plan.codec.types)))
        self._aggregations = {positions: [bundle.states_by(positions) for bundle in bundles] for positions in self.merged}

    def states(self, bundles: Sequence[Bundle]) -> dict[Positions, list[States | None]]:
        """Returns the states of one part, which is not spilled, by grouping set: one of each of its bundles, or None for no groups."""
        by_set: dict[Positions, list[States | None]] = {positions: [] for positions in (*self.whole, *self.merged)}
        for bundle in bundles:
            every = bundle.running.result()
            known = {} if every is None else {self._every: every}
            for positions in sorted(by_set, key=len, reverse=True):
                if every is not None and positions not in known:
                    source = min((one for one in known if set(positions) <= set(one)), key=lambda one: known[one].groups)
                    known[positions] = bundle.merged(known[source], source, positions)
                by_set[positions].append(known.get(positions))
        return by_set

    def add(self, by_set: dict[Positions, list[States | None]]) -> None:
        """Adds the states of one part to the sets whose groups are in several parts."""
        for positions, aggregations in self._aggregations.items():
            for aggregation, states in zip(aggregations, by_set[positions], strict=True):
                if states is not None:
                    aggregation.add(states)

    def add_merged(self, bundles: Sequence[Bundle]) -> None:
        """Adds the groups of one part, some of which may be in files."""
        if not self._aggregations:
            return
        for number, bundle in enumerate(bundles):
            for (states,) in aligned_states([bundle.running]):
                if states is not None:
                    for positions, aggregations in self._aggregations.items():
                        aggregations[number].add(bundle.merged(states, self._every, positions))

    def results(self) -> Iterator[tuple[Positions, list[States | None]]]:
        """Yields the states of the sets whose groups are in several parts, at the end."""
        for positions in self.merged:
            for states in aligned_states(self._aggregations[positions]):
                yield positions, states

    def close(self) -> None:
        """Releases the memory and the files."""
        with ExitStack() as stack:
            for aggregations in self._aggregations.values():
                for aggregation in aggregations:
                    stack.callback(aggregation.close)
