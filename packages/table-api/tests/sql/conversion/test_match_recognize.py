"""MATCH_RECOGNIZE: what becomes of names, types and clauses, and where errors are."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import MatchRecognizeQueryOperation, QueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import AfterMatch, PatternAggregate, PatternVariable, RowNavigation
from table_common.tree import preorder

INPUT = "(SELECT name, age, CAST(age AS BIGINT) AS big, TIMESTAMP '2020-01-01 00:00:00' AS ts FROM t)"


@pytest.fixture
def match(session: Any) -> Any:
    def run(clauses: str) -> MatchRecognizeQueryOperation:
        query = f"SELECT * FROM {INPUT} MATCH_RECOGNIZE ({clauses})"
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        (found,) = [node for node in preorder(operation, QueryOperation) if isinstance(node, MatchRecognizeQueryOperation)]
        return found

    return run


def test_columns_are_the_keys_and_the_measures(match: Any) -> None:
    node = match("PARTITION BY name ORDER BY ts MEASURES A.age AS x, COUNT(*) AS n PATTERN (A) DEFINE A AS TRUE")
    assert node.resolved_schema.column_names == ("name", "x", "n")


def test_quantifiers_are_numbers_of_rows(match: Any) -> None:
    node = match("ORDER BY ts MEASURES A.age AS x PATTERN (A? B* C+? D{2} E{2,} F{,3} G{1,2}? H) DEFINE A AS TRUE")
    assert node.pattern == (
        PatternVariable("A", 0, 1),
        PatternVariable("B", 0, None),
        PatternVariable("C", 1, None, False),
        PatternVariable("D", 2, 2),
        PatternVariable("E", 2, None),
        PatternVariable("F", 0, 3),
        PatternVariable("G", 1, 2, False),
        PatternVariable("H"),
    )


def test_a_navigation_goes_to_each_column_of_its_expression(match: Any) -> None:
    (measure,) = match("ORDER BY ts MEASURES FIRST(A.age + A.big, 1) AS x PATTERN (A B) DEFINE A AS TRUE").measures
    places = {(value.variable, value.column.name, value.from_first, value.offset) for value in measure.values}
    assert places == {("A", "age", True, 1), ("A", "big", True, 1)}


def test_a_column_without_a_variable_is_of_all_rows(match: Any) -> None:
    (measure,) = match("ORDER BY ts MEASURES SUM(age) + age AS x PATTERN (A B) DEFINE A AS TRUE").measures
    assert {type(value): value.variable for value in measure.values} == {PatternAggregate: "*", RowNavigation: "*"}


def test_a_value_of_a_variable_that_may_have_no_row_is_nullable(match: Any) -> None:
    node = match("ORDER BY ts MEASURES A.ts AS a, B.ts AS b, LAST(A.ts, 1) AS c PATTERN (A B?) DEFINE A AS TRUE")
    assert [column.data_type.nullable for column in node.resolved_schema.columns] == [False, True, True]


def test_the_order_of_clauses_reaches_the_operation(match: Any) -> None:
    node = match("ORDER BY ts, age DESC MEASURES A.age AS x AFTER MATCH SKIP TO B PATTERN (A B) WITHIN INTERVAL '2' HOUR DEFINE A AS TRUE")
    assert (node.after_match, node.after_match_variable, node.within) == (AfterMatch.TO_LAST, "B", 7_200_000)
    assert [str(order) for order in node.order_by] == ["ts ASC", "age DESC"]


def test_the_definition_of_a_variable_that_is_not_in_the_pattern_is_checked_and_dropped(match: Any) -> None:
    assert match("ORDER BY ts MEASURES A.age AS x PATTERN (A) DEFINE B AS B.age > 1").definitions == ()


BEHIND_INPUT = len(f"SELECT * FROM {INPUT} MATCH_RECOGNIZE (") + 1
"""The column at which the clauses begin."""


@pytest.mark.parametrize(
    ("clauses", "message", "at"),
    [
        ("ORDER BY ts MEASURES A.agee AS x PATTERN (A) DEFINE A AS TRUE", "'agee'", "A.agee"),
        ("ORDER BY ts MEASURES X.age AS x PATTERN (A) DEFINE A AS TRUE", "'X'", "X.age"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A) DEFINE A AS agee > 1", "'agee'", "agee"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A) DEFINE A AS age", "DEFINE A", "age"),
        ("ORDER BY ts MEASURES SUM(A.age + B.age) AS x PATTERN (A B) DEFINE A AS TRUE", "'A' and 'B'", "SUM("),
        ("ORDER BY ts MEASURES SUM(DISTINCT A.age) AS x PATTERN (A) DEFINE A AS TRUE", "DISTINCT", "SUM("),
        ("ORDER BY ts MEASURES SUM(1) AS x PATTERN (A) DEFINE A AS TRUE", "takes a column of the rows", "SUM("),
        ("ORDER BY ts MEASURES LAST(FIRST(A.age)) AS x PATTERN (A) DEFINE A AS TRUE", "not navigation functions", "LAST("),
        ("ORDER BY ts MEASURES LAST(A.age, A.age) AS x PATTERN (A) DEFINE A AS TRUE", "constant number of rows", "LAST("),
        ("ORDER BY ts MEASURES PREV(A.age) AS x PATTERN (A) DEFINE A AS TRUE", "cannot be used in MEASURES", "PREV("),
        ("ORDER BY ts MEASURES MATCH_ROWTIME(A.age + 1) AS x PATTERN (A) DEFINE A AS TRUE", "MATCH_ROWTIME", "MATCH_ROWTIME"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A) DEFINE A AS MATCH_ROWTIME() IS NULL", "only be used in MEASURES", "MATCH_ROWTIME"),
        ("ORDER BY age MEASURES A.age AS x PATTERN (A) DEFINE A AS TRUE", "must begin with a TIMESTAMP, but 'age'", "age"),
        ("ORDER BY ts DESC MEASURES A.age AS x PATTERN (A) DEFINE A AS TRUE", "ascending", "ts"),
        ("PARTITION BY age + 1 ORDER BY ts MEASURES A.age AS x PATTERN (A) DEFINE A AS TRUE", "columns of the table", "age + 1"),
    ],
)
def test_errors_are_where_the_mistake_is(match: Any, clauses: str, message: str, at: str) -> None:
    with pytest.raises((ValidationException, TableException), match=message) as caught:
        match(clauses)
    assert caught.value.position is not None
    begin = clauses.index(at) if not at.startswith("age") or "DEFINE A AS age" not in clauses else clauses.rindex(at)
    assert caught.value.position.column == BEHIND_INPUT + begin


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("MEASURES A.age AS x PATTERN (A) DEFINE A AS TRUE", "needs ORDER BY"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A A) DEFINE A AS TRUE", "'A' is in the pattern twice"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A) DEFINE A AS TRUE, A AS FALSE", "'A' is defined twice"),
        ("ORDER BY ts MEASURES A.age AS x, A.big AS x PATTERN (A) DEFINE A AS TRUE", "two columns 'x'"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A{0} B) DEFINE A AS TRUE", "matches no number of rows"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A{1,1000000} B) DEFINE A AS TRUE", "count 1,000,001 rows, but they may count 10,000"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A{9000,} B{2000} C) DEFINE A AS TRUE", "count 11,001 rows"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A{3,2} B) DEFINE A AS TRUE", "matches no number of rows"),
        ("ORDER BY ts MEASURES A.age AS x AFTER MATCH SKIP TO X PATTERN (A) DEFINE A AS TRUE", "'X'"),
        ("ORDER BY ts MEASURES A.age AS x PATTERN (A) WITHIN INTERVAL '0' SECOND DEFINE A AS TRUE", "positive interval"),
        ("ORDER BY ts MEASURES A.age IN (SELECT id FROM u) AS x PATTERN (A) DEFINE A AS TRUE", "Subqueries are not supported"),
        ("ORDER BY ts MEASURES SUM(A.age) OVER () AS x PATTERN (A) DEFINE A AS TRUE", "OVER"),
        ("ORDER BY ts MEASURES RUNNING A.age AS x PATTERN (A) DEFINE A AS TRUE", "RUNNING"),
    ],
)
def test_what_is_refused(match: Any, clauses: str, message: str) -> None:
    with pytest.raises((ValidationException, TableException), match=message):
        match(clauses)
