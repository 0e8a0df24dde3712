"""Compiles a pattern to a nondeterministic automaton whose input is the rows of a partition.

Each edge of a state has a variable that the row may match, tests that the row must pass, and a target state. Edges are in the order of the
pattern. All edges whose tests pass are followed, so a partial match may branch.

A greedy variable with a variable number of rows adds the test "does not match this variable" to the states after it. So in ``A B* C`` a row
that matches both B and C belongs to B, and after ``B{1,2}`` a third row that matches B ends the partial match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from table_common.expressions import PatternVariable

END = -1
"""Used as a state: the pattern is complete."""
Tests = tuple[tuple[int, bool], ...]
"""Pairs (variable, whether the row must match its condition); all must hold."""


class Edge(NamedTuple):
    """Matches the row to ``variable``. If the tests ``end`` pass, the row may be the last one of the match; None: it cannot be."""

    variable: int
    tests: Tests
    target: int
    end: Tests | None


class _State:
    def __init__(self, variable: int) -> None:
        self.variable = variable
        self.tests: list[tuple[int, bool]] = []
        """Tests in addition to the variable's own condition; they also apply when the state is left without a row."""
        self.after_row = END
        self.without_row: int | None = None
        """The state to continue in if this state takes no row (an epsilon transition)."""


def compile_automaton(variables: Sequence[PatternVariable], has_condition: Sequence[bool]) -> tuple[list[tuple[Edge, ...]], int]:
    """Returns the edges of each state, and the start state. Variables without a condition match every row."""
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
        if _claims_rows(variable) and following != END:
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


def _claims_rows(variable: PatternVariable) -> bool:
    """Returns whether a row that matches the variable cannot match the next one: a greedy variable with a variable number of rows."""
    return variable.greedy and variable.minimum != variable.maximum and (variable.minimum, variable.maximum) != (0, 1)


def _edges(states: Sequence[_State], start: int, has_condition: Sequence[bool]) -> tuple[Edge, ...]:
    edges: list[Edge] = []
    number: int | None = start
    passed: list[tuple[int, bool]] = []
    while number is not None and number != END:
        state = states[number]
        passed += state.tests
        tests = _simplified([(state.variable, True), *passed], has_condition)
        if tests is not None:
            edges.append(Edge(state.variable, tests, state.after_row, _end(states, state.after_row, has_condition)))
        number = state.without_row
    return tuple(edges)


def _end(states: Sequence[_State], target: int, has_condition: Sequence[bool]) -> Tests | None:
    """Returns the tests under which the match is complete in the state; None if it needs another row."""
    number: int | None = target
    passed: list[tuple[int, bool]] = []
    while number is not None:
        if number == END:
            return _simplified(passed, has_condition)
        passed += states[number].tests
        number = states[number].without_row
    return None


def _simplified(tests: Sequence[tuple[int, bool]], has_condition: Sequence[bool]) -> Tests | None:
    """Returns the tests that are not always true, without duplicates; None if a test is never true."""
    if any(not is_required and not has_condition[variable] for variable, is_required in tests):
        return None
    return tuple(dict.fromkeys(test for test in tests if has_condition[test[0]]))
