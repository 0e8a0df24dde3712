"""Runs the automaton over the rows of one partition and selects the matches to emit.

All partial matches are advanced together, in the order of their first rows. A complete match is pending until no partial match with an
earlier first row is left, because that one could still become a match and skip its rows. Matches with the same first row are emitted in the
order of their completion; AFTER MATCH SKIP leaves at most one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from table_common.exceptions import TableRuntimeException
from table_common.expressions import AfterMatch
from table_runtime.patterns.automaton import Tests, compile_automaton
from table_runtime.patterns.conditions import Ask
from table_runtime.patterns.partial_match import Firsts, rows_in_match
from table_runtime.patterns.pattern import PatternSpec

if TYPE_CHECKING:
    from table_runtime.patterns.row_conditions import AskRows


class Match(NamedTuple):
    """The rows ``start`` to ``end`` (inclusive), and the first row of each variable."""

    start: int
    end: int
    firsts: Firsts


class Matches:
    """Matches in the order in which they are emitted, partition by partition.

    ``rows`` has the row at which each was emitted. ``times`` has None, or the time at which the last partial match that it waited for expired
    (then ``rows`` has its own first row).
    """

    __slots__ = ("found", "rows", "times")

    def __init__(self) -> None:
        self.found: list[Match] = []
        self.rows: list[int] = []
        self.times: list[int | None] = []

    def add(self, match: Match, row: int, time: int | None) -> None:
        """Adds a match; see the class for ``row`` and ``time``."""
        self.found.append(match)
        self.rows.append(match.start if time is not None else row)
        self.times.append(time)


Run = tuple[int, int, Firsts]
"""A partial match: its first row, its state, and the first row of each variable."""
BoundTest = tuple[bytes | None, Any, bool]
"""A condition as bytes per row or as a function (the other is None), and the result that it must have."""


class BoundAutomaton(NamedTuple):
    """The edges of each state, with the conditions bound to a batch.

    ``begins`` marks the rows at which a match can begin, None if unknown.
    """

    edges: list[list[tuple[int, tuple[BoundTest, ...], int, tuple[BoundTest, ...] | None]]]
    begins: bytes | None


class Partition:
    """The state of one partition: partial matches (``runs``) and pending complete matches.

    Positions refer to the rows of the current batch.
    """

    __slots__ = ("runs", "waiting")

    def __init__(self, runs: list[Run] | None = None, waiting: list[Match] | None = None) -> None:
        self.runs = runs if runs is not None else []
        self.waiting = waiting if waiting is not None else []

    @property
    def first_row(self) -> int | None:
        """The earliest row that is still needed, or None."""
        starts = [run[0] for run in self.runs[:1]] + [match.start for match in self.waiting[:1]]
        return min(starts, default=None)

    def moved(self, distance: int) -> Partition:
        """Returns the partition with all positions increased by ``distance``."""

        def move(firsts: Firsts) -> Firsts:
            return tuple(first + distance if first >= 0 else first for first in firsts)

        return Partition(
            [(start + distance, state, move(firsts)) for start, state, firsts in self.runs],
            [Match(match.start + distance, match.end + distance, move(match.firsts)) for match in self.waiting],
        )


class Matcher:
    """The automaton of a pattern. It is stateless; the state is in ``Partition``."""

    def __init__(self, spec: PatternSpec) -> None:
        self._after_match = spec.after_match
        self._target_name = spec.after_match_variable or ""
        self._target = None if spec.after_match_variable is None else spec.names.index(spec.after_match_variable)
        self.within = spec.within
        defined = {definition.variable for definition in spec.definitions}
        self._edges, self.start = compile_automaton(spec.variables, [variable.name in defined for variable in spec.variables])
        self.width = len(spec.variables)
        self._no_firsts: Firsts = (-1,) * self.width
        tried = {edge.variable for edge in self._edges[self.start]}
        self._only_first = tried.pop() if len(tried) == 1 else None
        """The variable that every match begins with, or None if there are several."""

    def bind(self, conditions: Sequence[bytes | Ask | AskRows | None]) -> BoundAutomaton:
        """Returns the automaton with the conditions bound to the rows of a batch."""

        def bound(tests: Tests) -> tuple[BoundTest, ...]:
            bound_tests = []
            for variable, expected in tests:
                condition = conditions[variable]
                assert condition is not None
                bound_tests.append((condition, None, expected) if isinstance(condition, bytes) else (None, condition, expected))
            # Conditions that are already evaluated are tested first.
            return tuple(sorted(bound_tests, key=lambda test: test[0] is None))

        begins = conditions[self._only_first] if self._only_first is not None else None
        states = [[(e.variable, bound(e.tests), e.target, None if e.end is None else bound(e.end)) for e in state] for state in self._edges]
        return BoundAutomaton(states, begins if isinstance(begins, bytes) else None)

    def advance(
        self,
        partition: Partition,
        first: int,
        end: int,
        automaton: BoundAutomaton,
        times: Sequence[int],
        matches: Matches,
        *,
        until_idle: bool = False,
    ) -> int:
        """Advances over the rows from ``first`` to ``end`` (exclusive) and appends matches to ``matches``. ``times`` are milliseconds.

        Returns the row at which it stopped: ``end``, or with ``until_idle`` the first one before which the partition has no partial match.

        Raises:
            TableRuntimeException: AFTER MATCH SKIP names a variable without rows, or the first row of the match.
        """
        runs, within, edges, begins = partition.runs, self.within, automaton.edges, automaton.begins
        start_state, no_firsts = self.start, self._no_firsts
        row = first
        while row < end:
            if until_idle and not runs and not partition.waiting:
                return row
            if begins is not None and not runs:
                row = begins.find(1, row, end)
                if row < 0:
                    break
            if within is not None and runs and times[row] - times[runs[0][0]] >= within:
                runs = self.expire(partition, times[row], times, matches).runs
            if begins is None or begins[row]:
                runs.append((row, start_state, no_firsts))
            advanced: list[Run] = []
            complete: list[Match] = []
            for run in runs:
                start, state, firsts = run
                for variable, tests, target, ending in edges[state]:
                    for mask, ask, expected in tests:
                        if (mask[row] if mask is not None else ask(firsts, start, row)) != expected:
                            break
                    else:
                        next_firsts = firsts if firsts[variable] >= 0 else (*firsts[:variable], row, *firsts[variable + 1 :])
                        if target >= 0:
                            advanced.append(run if target == state and next_firsts is firsts else (start, target, next_firsts))
                        if ending is not None and _passes(ending, firsts, start, row):
                            complete.append(Match(start, row, next_firsts))
            partition.runs = runs = advanced
            if complete or partition.waiting:
                partition.waiting += complete
                self._emit_pending(partition, matches, row, None)
                runs = partition.runs
            row += 1
        return end

    def expire(self, partition: Partition, now: int, times: Sequence[int], matches: Matches) -> Partition:
        """Drops partial matches whose WITHIN interval is over, and emits pending matches that no longer wait for one of them."""
        if self.within is None:
            return partition
        limit = now - self.within
        while partition.waiting and partition.runs and times[partition.runs[0][0]] <= limit:
            first = partition.runs[0][0]
            partition.runs = [run for run in partition.runs if run[0] > first]
            self._emit_pending(partition, matches, first, times[first] + self.within)
        partition.runs = [run for run in partition.runs if times[run[0]] > limit]
        return partition

    def _emit_pending(self, partition: Partition, matches: Matches, row: int, time: int | None) -> None:
        """Emits the pending matches for which no partial match with an earlier first row is left."""
        pending = sorted(partition.waiting, key=lambda match: match.start)
        runs = partition.runs
        while pending and (not runs or pending[0].start <= runs[0][0]):
            match = pending.pop(0)
            matches.add(match, row, time)
            next_start = self.next_start(match)
            runs = [run for run in runs if run[0] >= next_start]
            pending = [candidate for candidate in pending if candidate.start >= next_start]
        partition.runs, partition.waiting = runs, pending

    def next_start(self, match: Match) -> int:
        """Returns the first row at which the next match may begin."""
        if self._after_match is AfterMatch.PAST_LAST_ROW:
            return match.end + 1
        if self._after_match is AfterMatch.TO_NEXT_ROW:
            return match.start + 1
        assert self._target is not None
        first, end = rows_in_match(self._target, match.start, match.end, match.firsts)
        text = f"AFTER MATCH {self._after_match.value} {self._target_name}"
        if first == end:
            raise TableRuntimeException(f"{text}: the match has no row of the variable '{self._target_name}'.")
        target = first if self._after_match is AfterMatch.TO_FIRST else end - 1
        if target == match.start:
            raise TableRuntimeException(
                f"{text}: this is the first row of the match, so the search would find the same match forever.",
                hint="Use SKIP TO NEXT ROW, which resumes at the row after the first one.",
            )
        return target


def _passes(tests: Sequence[BoundTest], firsts: Firsts, start: int, row: int) -> bool:
    return all((mask[row] if mask is not None else ask(firsts, start, row)) == expected for mask, ask, expected in tests)
