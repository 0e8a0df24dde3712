"""An expression that Spark would need minutes for is refused before Spark is asked."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableException
from table_planner_spark.expressions.nesting import MAX_NESTING, check_nesting


def nested(levels: int) -> str:
    return "(" * levels + "a" + " + 1)" * levels


def test_text_at_the_limit_is_accepted() -> None:
    check_nesting(nested(MAX_NESTING))


def test_text_beyond_the_limit_is_refused() -> None:
    with pytest.raises(TableException, match=r"nested too deep: .* has 1,001 levels"):
        check_nesting(nested(MAX_NESTING + 1))


def test_width_is_not_depth() -> None:
    check_nesting(f"f({', '.join(['(a)'] * 100_000)})")


def test_parentheses_in_constants_and_names_do_not_count() -> None:
    opened = "(" * (2 * MAX_NESTING)
    check_nesting(f"concat('{opened}', `{opened}`, '\\'{opened}')")


def test_lambdas_count_for_more_than_one_level() -> None:
    with pytest.raises(TableException, match="nested too deep"):
        check_nesting("transform(" * 200 + "a" + ", x -> x)" * 200)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%"])
def test_a_long_chain_is_refused(env: Any, operator: str) -> None:
    with pytest.raises(TableException, match=r"cannot run an expression that is nested too deep.*there may be 1,000"):
        env.execute_sql(f"SELECT {f' {operator} '.join(['a'] * 10_000)} FROM (VALUES 1) AS t(a)")


def test_a_long_chain_of_texts_is_one_call(run: Any) -> None:
    assert run.rows(f"SELECT CHAR_LENGTH({' || '.join(['a'] * 3_000)}) FROM (VALUES 'x') AS t(a)") == [(3_000,)]


@pytest.mark.parametrize(
    "expression", [f"t{' + INTERVAL 1 SECOND'.replace('1', chr(39) + '1' + chr(39)) * 150}", f"{'INITCAP(' * 60}'a'{')' * 60}"]
)
def test_spark_gets_enough_iterations_for_the_nesting_depth(run: Any, expression: str) -> None:
    assert len(run.rows(f"SELECT {expression} FROM (VALUES TIMESTAMP '2020-01-01 00:00:00') AS v(t)")) == 1
