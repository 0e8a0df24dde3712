"""Automata of patterns, run over rows whose conditions are given."""

from __future__ import annotations

import itertools

import pytest

from table_common.expressions import PatternVariable
from table_runtime.patterns.automaton import END, compile_automaton

A, B, C = PatternVariable("A"), PatternVariable("B"), PatternVariable("C")
B_STAR, B_PLUS = PatternVariable("B", 0, None), PatternVariable("B", 1, None)
B_OPTIONAL, B_TWICE, B_ONE_OR_TWO = PatternVariable("B", 0, 1), PatternVariable("B", 2, 2), PatternVariable("B", 1, 2)
ALL = [True, True, True]


def accepts(pattern: list[PatternVariable], rows: str) -> bool:
    """Whether the rows are a match from the first to the last; each row satisfies the condition of one variable only."""
    edges, start = compile_automaton(pattern, ALL[: len(pattern)])
    names = [variable.name for variable in pattern]

    def passes(tests: tuple[tuple[int, bool], ...], row: str) -> bool:
        return all((names[variable] == row) is expected for variable, expected in tests)

    states, complete = {start}, False
    for row in rows:
        taken = [edge for state in states if state != END for edge in edges[state] if passes(edge.tests, row)]
        states = {edge.target for edge in taken}
        complete = any(edge.end is not None and passes(edge.end, row) for edge in taken)
    return complete


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ([A, B, C], {"ABC"}),
        ([A, B_STAR, C], {"AC", "ABC", "ABBC"}),
        ([A, B_PLUS, C], {"ABC", "ABBC"}),
        ([A, B_OPTIONAL, C], {"AC", "ABC"}),
        ([A, B_TWICE, C], {"ABBC"}),
        ([A, B_ONE_OR_TWO], {"AB", "ABB"}),
        ([B_ONE_OR_TWO, A], {"BA", "BBA"}),
    ],
)
def test_exactly_the_words_of_the_pattern_are_matches(pattern: list[PatternVariable], matches: set[str]) -> None:
    words = ("".join(letters) for size in range(1, 5) for letters in itertools.product("ABC", repeat=size))
    assert {word for word in words if accepts(pattern, word)} == matches


def test_a_row_of_a_greedy_variable_is_not_of_the_next_one() -> None:
    edges, start = compile_automaton([A, B_STAR, C], ALL)
    (first,) = edges[start]
    assert {(edge.variable, edge.tests) for edge in edges[first.target]} == {(1, ((1, True),)), (2, ((2, True), (1, False)))}


def test_a_variable_without_a_condition_blocks_what_follows_a_greedy_one() -> None:
    """B takes every row, so no row is left for C."""
    edges, start = compile_automaton([A, B_STAR, C], [False, False, True])
    assert {edge.target for state in edges for edge in state if edge.target != END} <= set(range(len(edges)))
    assert all(edge.variable != 2 for edge in edges[start] for edge in edges[edge.target])
