"""A pattern as an automaton: from a state and a row to the states that follow.

A state waits for a row. Its edges say of which variable the row may be, under which tests, and where that leads. Variables are tried in
the order of the pattern; every way is followed, so a partial match may branch.

A variable that keeps rows (greedy, with an open number of them) adds the test "not of this variable" to whatever follows it. So ``A B* C``
gives a row that fulfils both B and C to B; and after ``B{1,2}`` a third row that fulfils B ends the partial match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from table_common.expressions import PatternVariable

__all__ = ["END", "Edge", "compile_automaton"]

END = -1
"""In place of a state: the pattern is over."""
Tests = tuple[tuple[int, bool], ...]
"""(variable, whether the row must fulfil its condition) — all of them."""


class Edge(NamedTuple):
    """Takes the row for ``variable``. ``end`` are the tests under which the row may be the match's last one; None: it cannot be."""

    variable: int
    tests: Tests
    target: int
    end: Tests | None


class _State:
    def __init__(self, variable: int) -> None:
        self.variable = variable
        self.tests: list[tuple[int, bool]] = []
        """What is asked of a row beside the variable's own condition, also for leaving the state without one."""
        self.after_row = END
        self.without_row: int | None = None
        """The state of which the edges are also this state's."""


def compile_automaton(variables: Sequence[PatternVariable], has_condition: Sequence[bool]) -> tuple[list[tuple[Edge, ...]], int]:
    """Returns the edges of each state, and the state in which a match begins; variables without a condition take every row."""
    states: list[_State] = []

    def new_state(variable: int, after_row: int, without_row: int | None) -> int:
        state = _State(variable)
        state.after_row = after_row
        state.without_row = without_row
        states.append(state)
        return len(states) - 1

    following = END
    for index in reversed(range(len(variables))):
        variable = variables[index]
        if _keeps_rows(variable) and following != END:
            states[following].tests.append((index, False))
        first = following
        needed = max(variable.minimum, 1)
        if variable.maximum is None:
            first = new_state(index, len(states), following)
        else:
            for _ in range(needed, variable.maximum):
                first = new_state(index, first, following)
        for _ in range(needed - 1):
            first = new_state(index, first, None)
        following = new_state(index, first, following if variable.minimum == 0 else None)
    return [_edges(states, number, has_condition) for number in range(len(states))], following


def _keeps_rows(variable: PatternVariable) -> bool:
    """Returns whether a row that fulfils the condition cannot be of the next variable: greedy, where the number of rows is open."""
    return variable.greedy and variable.minimum != variable.maximum and (variable.minimum, variable.maximum) != (0, 1)


def _edges(states: Sequence[_State], start: int, has_condition: Sequence[bool]) -> tuple[Edge, ...]:
    edges: list[Edge] = []
    number: int | None = start
    passed: list[tuple[int, bool]] = []
    while number is not None and number != END:
        state = states[number]
        passed += state.tests
        tests = _possible([(state.variable, True), *passed], has_condition)
        if tests is not None:
            edges.append(Edge(state.variable, tests, state.after_row, _end(states, state.after_row, has_condition)))
        number = state.without_row
    return tuple(edges)


def _end(states: Sequence[_State], target: int, has_condition: Sequence[bool]) -> Tests | None:
    """Returns the tests under which no further row is needed from the state on; None if one is needed."""
    number: int | None = target
    passed: list[tuple[int, bool]] = []
    while number is not None:
        if number == END:
            return _possible(passed, has_condition)
        passed += states[number].tests
        number = states[number].without_row
    return None


def _possible(tests: Sequence[tuple[int, bool]], has_condition: Sequence[bool]) -> Tests | None:
    """Returns the tests that are not always true, each once; None if one is never true."""
    if any(not wanted and not has_condition[variable] for variable, wanted in tests):
        return None
    return tuple(dict.fromkeys(test for test in tests if has_condition[test[0]]))
