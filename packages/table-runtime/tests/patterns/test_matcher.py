"""Partitions and their matches: what is pending, what expires, and where the search resumes."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import AfterMatch, FieldReferenceExpression, PatternDefinition, PatternExpression, PatternVariable
from table_common.types import BooleanType
from table_runtime.columns.ordering import SortKey
from table_runtime.patterns.conditions import Ask
from table_runtime.patterns.matcher import Match, Matcher, Matches, Partition
from table_runtime.patterns.pattern import PatternSpec

SCHEMA = pa.schema([("ts", pa.timestamp("ms"))])
A, B, C = PatternVariable("A"), PatternVariable("B"), PatternVariable("C")
B_STAR, B_PLUS = PatternVariable("B", 0, None), PatternVariable("B", 1, None)


def matcher(
    *variables: PatternVariable,
    defined: str,
    after_match: AfterMatch = AfterMatch.PAST_LAST_ROW,
    after_match_variable: str | None = None,
    within: int | None = None,
) -> Matcher:
    condition = PatternExpression(FieldReferenceExpression("c", BooleanType(), 0, 0), ())
    definitions = tuple(PatternDefinition(name, condition) for name in defined)
    return Matcher(PatternSpec(SCHEMA, SCHEMA, (), (SortKey(0),), variables, definitions, (), after_match, after_match_variable, within))


def mask(rows: str, letter: str) -> bytes:
    """The rows that satisfy the condition of the variable: those with its letter, or ``*``."""
    return bytes(row in (letter, "*") for row in rows)


def run(
    automaton: Matcher, rows: str, conditions: Sequence[bytes | Ask | None], times: Sequence[int] | None = None
) -> tuple[Partition, list[Match]]:
    partition, matches = Partition(), Matches()
    automaton.advance(partition, 0, len(rows), automaton.bind(conditions), times or range(len(rows)), matches)
    return partition, matches.found


def matches_of(automaton: Matcher, rows: str, letters: str) -> list[tuple[int, int]]:
    _, matches = run(automaton, rows, [mask(rows, letter) for letter in letters])
    return [(match.start, match.end) for match in matches]


def test_a_match_knows_the_first_row_of_each_variable() -> None:
    _, matches = run(matcher(A, B_STAR, C, defined="ABC"), "-ABBC", [mask("-ABBC", letter) for letter in "ABC"])
    assert matches == [Match(1, 4, (1, 2, 4))]


def test_a_variable_without_rows_has_no_first_row() -> None:
    _, matches = run(matcher(A, B_STAR, C, defined="ABC"), "AC", [mask("AC", letter) for letter in "ABC"])
    assert matches == [Match(0, 1, (0, -1, 1))]


def test_no_rows_have_no_match() -> None:
    assert matches_of(matcher(A, defined="A"), "", "A") == []


def test_only_the_rows_of_the_range_are_tried() -> None:
    automaton, matches = matcher(A, defined="A"), Matches()
    automaton.advance(Partition(), 1, 3, automaton.bind([b"\1\1\1\1"]), range(4), matches)
    assert [match.start for match in matches.found] == [1, 2]


def test_a_partial_match_is_continued_by_the_next_call() -> None:
    automaton, partition, matches = matcher(A, B, defined="AB"), Partition(), Matches()
    bound = automaton.bind([mask("AB", "A"), mask("AB", "B")])
    automaton.advance(partition, 0, 1, bound, range(2), matches)
    automaton.advance(partition, 1, 2, bound, range(2), matches)
    assert matches.found == [Match(0, 1, (0, 1))]


def test_a_condition_per_row_receives_the_partial_match_and_the_candidate() -> None:
    calls = []

    def ask(firsts: tuple[int, ...], start: int, row: int) -> bool:
        calls.append((firsts, start, row))
        return True

    run(matcher(A, B, defined="AB"), "AB", [mask("AB", "A"), ask])
    assert calls == [((0, -1), 0, 1)]


def test_a_condition_per_row_is_not_evaluated_where_an_evaluated_condition_fails() -> None:
    """In ``B* C``, a row is a C only if it is no B: the mask of B decides first."""

    def ask(firsts: tuple[int, ...], start: int, row: int) -> bool:
        raise AssertionError("not evaluated")

    automaton = matcher(A, B_STAR, C, defined="ABC")
    partition, _ = run(automaton, "AB", [mask("AB", "A"), mask("AB", "B"), ask])
    assert len(partition.runs) == 1


def test_a_row_that_cannot_begin_a_match_begins_no_partial_match() -> None:
    partition, _ = run(matcher(A, B, defined="AB"), "--", [mask("--", "A"), mask("--", "B")])
    assert partition.runs == []


def test_matches_do_not_overlap_when_the_search_resumes_past_the_last_row() -> None:
    assert matches_of(matcher(A, B, defined="AB"), "****", "AB") == [(0, 1), (2, 3)]


def test_matches_overlap_when_the_search_resumes_at_the_next_row() -> None:
    assert matches_of(matcher(A, B, defined="AB", after_match=AfterMatch.TO_NEXT_ROW), "****", "AB") == [(0, 1), (1, 2), (2, 3)]


def test_a_first_row_has_one_match_when_the_search_resumes_at_the_next_row() -> None:
    assert matches_of(matcher(A, B_PLUS, defined="AB", after_match=AfterMatch.TO_NEXT_ROW), "ABB", "AB") == [(0, 1)]


def test_skipping_to_the_first_row_of_a_variable_drops_matches_that_begin_before_it() -> None:
    automaton = matcher(A, B_PLUS, C, defined="ABC", after_match=AfterMatch.TO_FIRST, after_match_variable="C")
    rows = "ABaBC"
    conditions = [mask(rows.upper(), "A"), bytes([0, 1, 1, 1, 0]), mask(rows, "C")]
    _, matches = run(automaton, rows, conditions)
    assert [(match.start, match.end) for match in matches] == [(0, 4)]


def test_a_match_may_begin_at_the_last_row_of_the_variable_to_skip_to() -> None:
    automaton = matcher(A, B, defined="AB", after_match=AfterMatch.TO_LAST, after_match_variable="B")
    assert matches_of(automaton, "***", "AB") == [(0, 1), (1, 2)]


def test_a_skip_to_the_first_row_of_the_match_is_an_error() -> None:
    automaton = matcher(A, B, defined="AB", after_match=AfterMatch.TO_LAST, after_match_variable="A")
    with pytest.raises(TableRuntimeException, match="AFTER MATCH SKIP TO LAST A: this is the first row of the match"):
        matches_of(automaton, "AB", "AB")


def test_a_skip_to_a_variable_without_rows_is_an_error() -> None:
    automaton = matcher(A, B_STAR, C, defined="ABC", after_match=AfterMatch.TO_FIRST, after_match_variable="B")
    with pytest.raises(TableRuntimeException, match="the match has no row of the variable 'B'"):
        matches_of(automaton, "AC", "ABC")


def test_a_complete_match_waits_for_an_earlier_partial_match() -> None:
    """``A C`` is complete at row 2, but the partial match of row 0 could still become a match with its rows."""

    automaton = matcher(A, PatternVariable("B", 0, None, greedy=False), C, defined="AC")
    partition, matches = run(automaton, "AA-", [mask("AA-", "A"), None, lambda _firsts, start, row: (start, row) == (1, 2)])
    assert (matches, [match.start for match in partition.waiting]) == ([], [1])


def test_the_earliest_row_that_is_needed_is_that_of_a_partial_or_a_pending_match() -> None:
    assert Partition([(4, 0, (4,))], [Match(2, 3, (2,))]).first_row == 2


def test_an_empty_partition_needs_no_row() -> None:
    assert Partition().first_row is None


def test_moving_a_partition_moves_rows_and_leaves_variables_without_rows() -> None:
    moved = Partition([(1, 7, (1, -1))], [Match(0, 2, (0, -1))]).moved(10)
    assert (moved.runs, moved.waiting) == ([(11, 7, (11, -1))], [Match(10, 12, (10, -1))])


def test_a_partial_match_expires_at_the_end_of_its_interval() -> None:
    """WITHIN is exclusive: a match of 3 ms is too long."""
    automaton = matcher(A, B, defined="AB", within=3)
    conditions = [mask("AB", "A"), mask("AB", "B")]
    assert [len(run(automaton, "AB", conditions, [0, end])[1]) for end in (2, 3)] == [1, 0]


def test_expiry_keeps_younger_partial_matches() -> None:
    automaton = matcher(A, B, defined="AB", within=3)
    partition = Partition([(0, 0, (0, -1)), (1, 0, (1, -1))])
    automaton.expire(partition, 3, [0, 1], Matches())
    assert [run[0] for run in partition.runs] == [1]


def test_expiry_emits_a_match_that_waited_for_the_expired_one() -> None:
    automaton, matches = matcher(A, B, defined="AB", within=3), Matches()
    waiting = Match(1, 2, (1, 2))
    partition = automaton.expire(Partition([(0, 0, (0, -1))], [waiting]), 3, [0, 1, 2], matches)
    assert (matches.found, partition.waiting) == ([waiting], [])
    assert (matches.rows, matches.times) == ([1], [3])


def test_without_an_interval_nothing_expires() -> None:
    partition = matcher(A, B, defined="AB").expire(Partition([(0, 0, (0, -1))]), 10**12, [0], Matches())
    assert len(partition.runs) == 1
