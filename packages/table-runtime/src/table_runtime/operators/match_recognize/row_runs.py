"""Partial matches from all rows of a batch at once, by numpy: for conditions over one row of which each row lets a state go on in one way.

Such a match depends on its first row only, so the partial matches need not be advanced together. All of them take one row per step, and those that
cannot go on are dropped. Then the matches to emit are selected in the order of their first rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from table_runtime.operators.match_recognize.matcher import BoundAutomaton, BoundTest, Match, Matcher, Matches

__all__ = ["RowRuns"]

MOST_STATES = 16
"""States of an automaton at most: each has two bytes per row."""
MOST_STEPS = 16
"""Steps per row of the batch at most. Matches that overlap far more are advanced together, which drops them with the first match."""
_NO_MATCH, _OPEN = -1, -2
_Integers = np.ndarray[Any, np.dtype[np.int64]]
_Bools = np.ndarray[Any, np.dtype[np.bool_]]


class RowRuns:
    """The matches that begin at each row of a batch, if it is the first row of one; ``select`` is called for partition after partition."""

    def __init__(self, starts: _Integers, ends: _Integers, firsts: _Integers) -> None:
        known = ends != _NO_MATCH
        self._starts: list[int] = starts[known].tolist()
        self._ends: list[int] = ends[known].tolist()
        self._firsts = list(map(tuple, firsts[known].tolist()))
        self._next = 0

    @classmethod
    def of(
        cls, matcher: Matcher, automaton: BoundAutomaton, begins: Sequence[int], rows: int, times: Sequence[int], check: Callable[[], None]
    ) -> RowRuns | None:
        """Returns the matches of the partitions that begin at the rows ``begins``; None if a row lets a state go on in several ways.

        Also None if a condition is over several rows, or the automaton is large, or the matches overlap too much. ``times`` are milliseconds, and
        empty without WITHIN.
        """
        tests = [test for state in automaton.edges for _, row, _, end in state for test in (*row, *(end or ()))]
        if len(automaton.edges) > MOST_STATES or any(mask is None for mask, _, _ in tests):
            return None
        steps = _Steps.of(automaton, rows)
        return None if steps is None else _follow(matcher, steps, np.asarray(begins, np.int64), rows, times, check)

    def select(self, matcher: Matcher, row: int, end: int, matches: Matches, *, is_complete: bool) -> int:
        """Appends the matches of a partition from ``row`` on. Returns the row from which the rows of the partition are to be advanced one by one.

        This is ``end``, except in a partition that is not complete: there it is the first row of a partial match that later rows may complete.
        """
        place, starts = self._next, self._starts
        while place < len(starts) and (start := starts[place]) < end:
            if start >= row:
                last = self._ends[place]
                if last >= 0:
                    match = Match(start, last, self._firsts[place])
                    matches.add(match, last, None)
                    row = matcher.next_start(match)
                elif not is_complete:
                    end = start
                    break
            place += 1
        self._next = place
        return end


class _Steps:
    """What each row does with a partial match in each state: the edge that it takes (0: none), and whether the match is then complete."""

    def __init__(self, edge: np.ndarray[Any, np.dtype[np.uint8]], ends: _Bools, variables: list[int], targets: list[int]) -> None:
        self.edge = edge
        self.ends = ends
        self.variables = np.array(variables)
        self.targets = np.array(targets)

    @classmethod
    def of(cls, automaton: BoundAutomaton, rows: int) -> _Steps | None:
        edge, ends = np.zeros((len(automaton.edges), rows), np.uint8), np.zeros((len(automaton.edges), rows), np.bool_)
        variables, targets = [0], [0]
        for state, edges in enumerate(automaton.edges):
            for variable, tests, target, ending in edges:
                passes = _passing(tests, rows)
                if (passes & (edge[state] != 0)).any() or len(targets) > np.iinfo(np.uint8).max:
                    return None
                edge[state][passes] = len(targets)
                variables.append(variable)
                targets.append(target)
                if ending is not None:
                    ends[state] |= passes & _passing(ending, rows)
        return cls(edge, ends, variables, targets)


def _passing(tests: Sequence[BoundTest], rows: int) -> _Bools:
    passes = np.ones(rows, np.bool_)
    for mask, _, expected in tests:
        assert mask is not None
        holds = np.frombuffer(mask, np.bool_)
        passes &= holds if expected else ~holds
    return passes


def _follow(
    matcher: Matcher, steps: _Steps, begins: _Integers, rows: int, times: Sequence[int], check: Callable[[], None]
) -> RowRuns | None:
    starts = np.flatnonzero(steps.edge[matcher.start])
    ends = np.full(len(starts), _NO_MATCH, np.int64)
    firsts = np.full((len(starts), matcher.width), -1, np.int64)
    limits = np.append(begins[1:], rows)[np.searchsorted(begins, starts, side="right") - 1]
    moments, within = np.asarray(times, np.int64), matcher.within
    # The partial matches that go on: their numbers among the starts, their next rows and their states.
    run, row, state = np.arange(len(starts)), starts, np.full(len(starts), matcher.start)
    taken = 0
    while len(run):
        check()
        taken += len(run)
        if taken > MOST_STEPS * rows:
            return None
        edge = steps.edge[state, row]
        if not edge.all():
            goes = edge != 0
            run, row, state, edge = run[goes], row[goes], state[goes], edge[goes]
        variable = steps.variables[edge]
        is_first = firsts[run, variable] < 0
        firsts[run[is_first], variable[is_first]] = row[is_first]
        is_end = steps.ends[state, row]
        ends[run[is_end]] = row[is_end]
        state, row = steps.targets[edge], row + 1
        goes = ~is_end & (state >= 0)
        is_open = goes & (row >= limits[run])
        ends[run[is_open]] = _OPEN
        goes &= ~is_open
        run, row, state = run[goes], row[goes], state[goes]
        if within is not None:
            goes = moments[row] - moments[starts[run]] < within
            run, row, state = run[goes], row[goes], state[goes]
    return RowRuns(starts, ends, firsts)
