"""Runs the automaton over the rows of one partition and decides which matches count.

All ways in which rows match are followed at once, as partial matches in the order of their first rows. A match that is complete waits
until no partial match with an earlier first row is left, because that one could still become a match and take its rows. Matches with the
same first row count in the order in which they were found; skipping leaves at most one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from table_common.exceptions import TableRuntimeException
from table_common.expressions import AfterMatch
from table_runtime.operators.match_recognize.automaton import Tests, compile_automaton
from table_runtime.operators.match_recognize.conditions import Ask
from table_runtime.operators.match_recognize.partial_match import Firsts, rows_in_match
from table_runtime.operators.match_recognize.pattern import PatternSpec

__all__ = ["BoundAutomaton", "Match", "Matcher", "Partition"]


class Match(NamedTuple):
    """The rows ``start`` to ``end``, both in the match, and where the variables begin in them."""

    start: int
    end: int
    firsts: Firsts


Run = tuple[int, int, Firsts]
"""A partial match: its first row, the state it is in, where variables begin."""
_BoundTest = tuple[bytes | None, Any, bool]
"""A condition of rows, or else one to ask; and what it must give."""


class BoundAutomaton(NamedTuple):
    """The edges of each state with the conditions for certain rows; ``begins`` are the rows in which a match can begin, if that is known."""

    edges: list[list[tuple[int, tuple[_BoundTest, ...], int, tuple[_BoundTest, ...] | None]]]
    begins: bytes | None


class Partition:
    """What is going on in one partition: partial matches, and complete ones that wait. Positions are those of the rows at hand."""

    __slots__ = ("runs", "waiting")

    def __init__(self, runs: list[Run] | None = None, waiting: list[Match] | None = None) -> None:
        self.runs = runs if runs is not None else []
        self.waiting = waiting if waiting is not None else []

    @property
    def first_row(self) -> int | None:
        """The earliest row that is still needed; None if none is."""
        starts = [run[0] for run in self.runs[:1]] + [match.start for match in self.waiting[:1]]
        return min(starts, default=None)

    def moved(self, distance: int) -> Partition:
        """Returns the same over rows that stand so much further behind."""

        def move(firsts: Firsts) -> Firsts:
            return tuple(first + distance if first >= 0 else first for first in firsts)

        return Partition(
            [(start + distance, state, move(firsts)) for start, state, firsts in self.runs],
            [Match(match.start + distance, match.end + distance, move(match.firsts)) for match in self.waiting],
        )


class Matcher:
    """The automaton of a pattern. Holds no state of a partition."""

    def __init__(self, spec: PatternSpec) -> None:
        self._after_match = spec.after_match
        self._target_name = spec.after_match_variable or ""
        self._target = None if spec.after_match_variable is None else spec.names.index(spec.after_match_variable)
        self._within = spec.within
        defined = {definition.variable for definition in spec.definitions}
        self._edges, self._start = compile_automaton(spec.variables, [variable.name in defined for variable in spec.variables])
        self._no_firsts: Firsts = (-1,) * len(spec.variables)
        tried = {edge.variable for edge in self._edges[self._start]}
        self._only_first = tried.pop() if len(tried) == 1 else None
        """The variable that every match begins with, if there is only one."""

    def bind(self, conditions: Sequence[bytes | Ask | None]) -> BoundAutomaton:
        """Returns the automaton with the conditions for the rows at hand."""

        def bound(tests: Tests) -> tuple[_BoundTest, ...]:
            found = []
            for variable, wanted in tests:
                condition = conditions[variable]
                assert condition is not None
                found.append((condition, None, wanted) if isinstance(condition, bytes) else (None, condition, wanted))
            # What is known already is tested first.
            return tuple(sorted(found, key=lambda test: test[0] is None))

        begins = conditions[self._only_first] if self._only_first is not None else None
        states = [[(e.variable, bound(e.tests), e.target, None if e.end is None else bound(e.end)) for e in state] for state in self._edges]
        return BoundAutomaton(states, begins if isinstance(begins, bytes) else None)

    def advance(
        self, partition: Partition, first: int, end: int, automaton: BoundAutomaton, times: Sequence[int], found: list[Match]
    ) -> None:
        """Takes the rows from ``first`` up to ``end``; matches that count are appended to ``found``. ``times`` are milliseconds.

        Raises:
            TableRuntimeException: after a match the search cannot go on where it should.
        """
        runs, within, edges, begins = partition.runs, self._within, automaton.edges, automaton.begins
        start_state, no_firsts = self._start, self._no_firsts
        row = first
        while row < end:
            if begins is not None and not runs:
                row = begins.find(1, row, end)
                if row < 0:
                    break
            if within is not None and runs and times[row] - times[runs[0][0]] >= within:
                runs = self.expire(partition, times[row], times, found).runs
            if begins is None or begins[row]:
                runs.append((row, start_state, no_firsts))
            going: list[Run] = []
            complete: list[Match] = []
            for run in runs:
                start, state, firsts = run
                for variable, tests, target, ending in edges[state]:
                    for mask, ask, wanted in tests:
                        if (mask[row] if mask is not None else ask(firsts, start, row)) != wanted:
                            break
                    else:
                        after = firsts if firsts[variable] >= 0 else (*firsts[:variable], row, *firsts[variable + 1 :])
                        if target >= 0:
                            going.append(run if target == state and after is firsts else (start, target, after))
                        if ending is not None and _passes(ending, firsts, start, row):
                            complete.append(Match(start, row, after))
            partition.runs = runs = going
            if complete or partition.waiting:
                partition.waiting += complete
                runs = self._settle(partition, found).runs
            row += 1

    def expire(self, partition: Partition, now: int, times: Sequence[int], found: list[Match]) -> Partition:
        """Drops partial matches that began ``within`` or longer ago, which may make matches count that waited for them."""
        if self._within is not None:
            limit = now - self._within
            partition.runs = [run for run in partition.runs if times[run[0]] > limit]
            self._settle(partition, found)
        return partition

    def _settle(self, partition: Partition, found: list[Match]) -> Partition:
        """Lets those matches count for which no earlier partial match is left."""
        waiting = sorted(partition.waiting, key=lambda match: match.start)
        runs = partition.runs
        while waiting and (not runs or waiting[0].start <= runs[0][0]):
            match = waiting.pop(0)
            found.append(match)
            next_start = self._next_start(match)
            runs = [run for run in runs if run[0] >= next_start]
            waiting = [other for other in waiting if other.start >= next_start]
        partition.runs, partition.waiting = runs, waiting
        return partition

    def _next_start(self, match: Match) -> int:
        """Returns the first row with which a match may begin after this one."""
        if self._after_match is AfterMatch.PAST_LAST_ROW:
            return match.end + 1
        if self._after_match is AfterMatch.TO_NEXT_ROW:
            return match.start + 1
        assert self._target is not None
        first, end = rows_in_match(self._target, match.start, match.end, match.firsts)
        text = f"AFTER MATCH {self._after_match.value} {self._target_name}"
        if first == end:
            raise TableRuntimeException(f"{text}: the match has no row of '{self._target_name}' to go on with.")
        target = first if self._after_match is AfterMatch.TO_FIRST else end - 1
        if target == match.start:
            raise TableRuntimeException(
                f"{text}: that is the first row of the match, so the same match would be found again.",
                hint="SKIP TO NEXT ROW goes on with the row after it",
            )
        return target


def _passes(tests: Sequence[_BoundTest], firsts: Firsts, start: int, row: int) -> bool:
    return all((mask[row] if mask is not None else ask(firsts, start, row)) == wanted for mask, ask, wanted in tests)
