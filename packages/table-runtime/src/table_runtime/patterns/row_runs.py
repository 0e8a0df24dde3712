"""Partial matches from all rows of a batch at once, by numpy: for conditions of which each row lets a partial match continue in one way.

Such a match depends on its first row only, so the partial matches need not be advanced together. All of them take one row per step, and those that
cannot continue are dropped. Then the matches to emit are selected in the order of their first rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.patterns.matcher import BoundAutomaton, BoundTest, Match, Matcher, Matches
from table_runtime.patterns.row_conditions import AskRows, Bools, Integers

MOST_STATES = 16
"""States of an automaton at most: each has two bytes per row."""
MOST_STEPS = 16
"""Steps per row of the batch at most. Matches that overlap far more are advanced together, which drops them with the first match."""
ASKED_ROWS = 1_000
"""Rows that take as long as what a step takes however few they are, if conditions over several rows are evaluated in it."""
_NO_MATCH, _OPEN = -1, -2
Edges = np.ndarray[Any, np.dtype[np.uint8]]


class RowRuns:
    """The matches that begin at each row of a batch, if it is the first row of one; ``select`` is called for partition after partition."""

    def __init__(self, starts: Integers, ends: Integers, firsts: Integers) -> None:
        known = ends != _NO_MATCH
        self._starts: list[int] = starts[known].tolist()
        self._ends: list[int] = ends[known].tolist()
        self._firsts = list(zip(*(rows.tolist() for rows in firsts[known].T), strict=True))
        self._next = 0

    @classmethod
    def of(
        cls, matcher: Matcher, automaton: BoundAutomaton, begins: Sequence[int], rows: int, times: Sequence[int], check: Callable[[], None]
    ) -> RowRuns | None:
        """Returns the matches of the partitions that begin at the rows ``begins``; None if a row lets a partial match continue in several ways.

        Also None if the automaton is large, or the matches overlap too much, or a condition fails, maybe for a row that is no candidate. Conditions
        over several rows are bound as ``AskRows``. ``times`` are milliseconds, and empty without WITHIN.
        """
        if len(automaton.edges) > MOST_STATES or sum(map(len, automaton.edges)) > np.iinfo(np.uint8).max - 1:
            return None
        tests = [test for state in automaton.edges for _, row, _, end in state for test in (*row, *(end or ()))]
        kind = _KnownSteps if all(mask is not None for mask, _, _ in tests) else _AskedSteps
        try:
            return _follow(matcher, kind(automaton, rows), np.asarray(begins, np.int64), rows, times, check)
        except (_SeveralWays, TableRuntimeException):
            return None

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


class _SeveralWays(Exception):
    """Control flow, not an error: a row lets a partial match continue in several ways."""


class _Steps:
    """What a row does with a partial match in a state: the edge that it takes (0: none), and whether the match is then complete.

    Edges are numbered from 1 on; ``variables`` and ``targets`` have the variable and the target state of each.
    """

    least = 0
    """Rows that take as long as a step without rows."""

    def __init__(self, automaton: BoundAutomaton) -> None:
        edges = [edge for state in automaton.edges for edge in state]
        self.variables = np.array([0, *(variable for variable, _, _, _ in edges)])
        self.targets = np.array([0, *(target for _, _, target, _ in edges)])

    def begins(self, state: int) -> Integers:
        """Returns the rows at which a match may begin in the state; others cannot."""
        raise NotImplementedError

    def take(self, firsts: Integers, starts: Integers, row: Integers, state: Integers) -> tuple[Edges, Bools]:
        """Returns the edge of each partial match at its row, and whether the row completes it.

        Raises:
            _SeveralWays: a row lets a partial match continue in several ways.
        """
        raise NotImplementedError


class _KnownSteps(_Steps):
    """Steps by conditions over one row: they are the same for each partial match in a state."""

    def __init__(self, automaton: BoundAutomaton, rows: int) -> None:
        super().__init__(automaton)
        self._edge, self._ends = np.zeros((len(automaton.edges), rows), np.uint8), np.zeros((len(automaton.edges), rows), np.bool_)
        number = 0
        for state, edges in enumerate(automaton.edges):
            for _, tests, _, ending in edges:
                number += 1
                passes = _passing(tests, rows)
                if (passes & (self._edge[state] != 0)).any():
                    raise _SeveralWays
                self._edge[state][passes] = number
                if ending is not None:
                    self._ends[state] |= passes & _passing(ending, rows)

    @override
    def begins(self, state: int) -> Integers:
        return np.flatnonzero(self._edge[state])

    @override
    def take(self, firsts: Integers, starts: Integers, row: Integers, state: Integers) -> tuple[Edges, Bools]:
        return self._edge[state, row], self._ends[state, row]


class _AskedSteps(_Steps):
    """Steps by conditions of which some are over several rows: they are evaluated for the partial matches that are there."""

    least = ASKED_ROWS

    def __init__(self, automaton: BoundAutomaton, rows: int) -> None:
        super().__init__(automaton)
        numbers = count(1)
        self._states = [
            [
                (next(numbers), _passing(tests, rows), _asked(tests), None if ending is None else (_passing(ending, rows), _asked(ending)))
                for _, tests, _, ending in edges
            ]
            for edges in automaton.edges
        ]

    @override
    def begins(self, state: int) -> Integers:
        return np.flatnonzero(np.logical_or.reduce([known for _, known, _, _ in self._states[state]]))

    @override
    def take(self, firsts: Integers, starts: Integers, row: Integers, state: Integers) -> tuple[Edges, Bools]:
        edge, ends = np.zeros(len(row), np.uint8), np.zeros(len(row), np.bool_)
        for number in np.flatnonzero(np.bincount(state)).tolist():
            at = np.flatnonzero(state == number)
            matches = _AtState(firsts[at], starts[at], row[at])
            for one, known, asked, ending in self._states[number]:
                passes = matches.passing(known, asked)
                if edge[at[passes]].any():
                    raise _SeveralWays
                edge[at[passes]] = one
                if ending is not None:
                    ends[at[passes & matches.passing(*ending)]] = True
        return edge, ends


class _AtState:
    """Partial matches in one state, each with the row that is its candidate; a condition is evaluated once for all of them."""

    def __init__(self, firsts: Integers, starts: Integers, row: Integers) -> None:
        self._arguments = firsts, starts, row
        self._holds: dict[AskRows, Bools] = {}

    def passing(self, known: Bools, asked: Sequence[tuple[AskRows, bool]]) -> Bools:
        """Returns which of them pass tests: ``known`` by row, and ``asked`` with the result that each must have."""
        passes = known[self._arguments[2]]
        for ask, expected in asked:
            holds = self._holds.get(ask)
            if holds is None:
                holds = self._holds[ask] = ask(*self._arguments)
            passes &= holds if expected else ~holds
        return passes


def _asked(tests: Sequence[BoundTest]) -> list[tuple[AskRows, bool]]:
    return [(ask, expected) for mask, ask, expected in tests if mask is None]


def _passing(tests: Sequence[BoundTest], rows: int) -> Bools:
    """Returns the rows that pass the tests of conditions over one row."""
    passes = np.ones(rows, np.bool_)
    for mask, _, expected in tests:
        if mask is not None:
            holds = np.frombuffer(mask, np.bool_)
            passes &= holds if expected else ~holds
    return passes


def _follow(
    matcher: Matcher, steps: _Steps, begins: Integers, rows: int, times: Sequence[int], check: Callable[[], None]
) -> RowRuns | None:
    starts = steps.begins(matcher.start)
    ends = np.full(len(starts), _NO_MATCH, np.int64)
    firsts = np.full((len(starts), matcher.width), -1, np.int64)
    limits = np.append(begins[1:], rows)[np.searchsorted(begins, starts, side="right") - 1]
    moments, within = np.asarray(times, np.int64), matcher.within
    # The partial matches that continue: their numbers among the starts, their next rows and their states.
    run, row, state = np.arange(len(starts)), starts, np.full(len(starts), matcher.start)
    taken = 0
    while len(run):
        check()
        taken += len(run) + steps.least
        if taken > MOST_STEPS * rows:
            return None
        edge, is_end = steps.take(firsts[run], starts[run], row, state)
        if not edge.all():
            goes = edge != 0
            run, row, edge, is_end = run[goes], row[goes], edge[goes], is_end[goes]
        variable = steps.variables[edge]
        is_first = firsts[run, variable] < 0
        firsts[run[is_first], variable[is_first]] = row[is_first]
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
