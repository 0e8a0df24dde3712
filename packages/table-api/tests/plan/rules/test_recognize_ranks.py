from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement


def rewritten(session: Any, sql: str) -> str:
    plan = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(plan, QueryOperation)
    for rule in (push_filter_down, merge_projects, recognize_ranks):
        plan = rule(plan, RuleContext(session))
    return plan_text(plan)


def numbered(condition: str, function: str = "ROW_NUMBER()", columns: str = "*") -> str:
    return f"SELECT {columns} FROM (SELECT *, {function} OVER (PARTITION BY name ORDER BY age DESC) AS n FROM t) WHERE {condition}"


@pytest.mark.parametrize(
    ("condition", "start", "end"),
    [
        ("n <= 3", 1, 3),
        ("n < 3", 1, 2),
        ("3 >= n", 1, 3),
        ("n <= 5 AND n > 2", 3, 5),
        ("n BETWEEN 2 AND 4", 2, 4),
        ("n <= 5 AND n <= 4", 1, 4),
    ],
)
def test_bounds_of_the_rank_become_its_range(session: Any, condition: str, start: int, end: int) -> None:
    text = rewritten(session, numbered(condition))
    assert f"Rank(rankType=[ROW_NUMBER], rankRange=[rankStart={start}, rankEnd={end}], partitionBy=[name], orderBy=[age DESC]" in text
    assert "Filter" not in text


def test_conditions_on_other_columns_stay_above_the_rank(session: Any) -> None:
    text = rewritten(session, numbered("n <= 3 AND age > 5"))
    assert text.index("Filter(where=[(age > 5)])") < text.index("Rank(")


def test_a_rank_with_one_value_is_a_constant(session: Any) -> None:
    text = rewritten(session, numbered("n = 1"))
    assert "rankStart=1, rankEnd=1" in text
    assert "CAST(1" in text or ", 1" in text


@pytest.mark.parametrize("function", ["RANK()", "DENSE_RANK()"])
def test_ranks_with_ties_are_recognized(session: Any, function: str) -> None:
    assert f"rankType=[{function[:-2]}]" in rewritten(session, numbered("n <= 2", function))


@pytest.mark.parametrize("condition", ["n >= 2", "n <= age", "n <> 3"])
def test_without_an_upper_bound_the_window_stays(session: Any, condition: str) -> None:
    assert "Window(" in rewritten(session, numbered(condition))


def test_limits_are_ranks_over_all_rows(session: Any) -> None:
    assert "SortLimit(rankType=[ROW_NUMBER], rankRange=[rankStart=3, rankEnd=7], orderBy=[age ASC]" in rewritten(
        session, "SELECT age FROM t ORDER BY age LIMIT 5 OFFSET 2"
    )
    assert "Limit(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=5]" in rewritten(session, "SELECT age FROM t LIMIT 5")


def test_sorts_without_limit_are_dropped_except_the_last_one(session: Any) -> None:
    assert "Sort" not in rewritten(session, "SELECT COUNT(*) FROM (SELECT age FROM t ORDER BY age)")
    text = rewritten(session, f"SELECT name FROM ({numbered('n <= 3')}) ORDER BY age")
    assert text.count("Sort(") == 1
    assert text.index("Sort(") < text.index("Rank(")


def test_the_first_row_by_processing_time_is_a_deduplication(session: Any) -> None:
    sql = "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY p) AS n FROM (SELECT *, PROCTIME() AS p FROM t)) WHERE n = 1"
    assert "Deduplicate(keep=[FirstRow], key=[name], order=[PROCTIME])" in rewritten(session, sql)
    assert "Deduplicate(keep=[LastRow], key=[name], order=[PROCTIME])" in rewritten(session, sql.replace("BY p)", "BY p DESC)"))
