"""Columns that are doubled level by level: each is computed once, and Spark does not inline it."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    ValuesQueryOperation,
)
from table_common.catalog import ResolvedSchema
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import arithmetic, comparison
from table_common.types import BooleanType, IntType
from table_planner_spark.inline_guards import barrier, large_columns


def doubled(levels: int, source: str = "(VALUES 0) AS t (a)", item: str = "a + a") -> str:
    return "SELECT a FROM " + f"(SELECT {item} AS a FROM " * levels + source + ")" * levels


@pytest.fixture
def zeros(env: Any, tmp_path: Any) -> str:
    """A table of a file with two rows of 0."""
    env.execute_sql(
        f"CREATE TEMPORARY TABLE zeros (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/z', 'format' = 'parquet')"
    )
    env.execute_sql("INSERT INTO zeros VALUES 0, 0").wait()
    return "zeros"


def test_a_doubled_constant_is_computed(run: Any) -> None:
    assert run.rows(doubled(40)) == [(0,)]


def test_a_doubled_column_is_compared(run: Any, zeros: str) -> None:
    assert run.rows(doubled(40, zeros) + " WHERE a < 1") == [(0,), (0,)]


def test_a_doubled_column_of_chosen_rows_is_computed(run: Any, zeros: str) -> None:
    assert run.rows(doubled(40, f"(SELECT * FROM {zeros} WHERE a > -1)")) == [(0,), (0,)]


def test_the_current_date_doubled_is_compared(run: Any) -> None:
    query = doubled(27, "(SELECT CURRENT_DATE AS a)", "GREATEST(a, a)")
    assert run.rows(f"SELECT COUNT(*) FROM ({query} WHERE a > DATE '2000-01-01')") == [(1,)]


def test_the_current_time_doubled_is_compared(run: Any) -> None:
    query = doubled(27, "(SELECT CURRENT_TIMESTAMP AS a)", "GREATEST(a, a)")
    assert run.rows(f"SELECT COUNT(*) FROM ({query} WHERE a > TO_TIMESTAMP_LTZ(0, 3))") == [(1,)]


def test_rows_without_a_value_keep_it(run: Any) -> None:
    rows = "(VALUES CAST(NULL AS INT), 0) AS t (a)"
    assert sorted(run.rows(doubled(27, rows) + " WHERE a IS NULL OR a < 1"), key=str) == [(0,), (None,)]


def test_a_doubled_column_is_written_to_a_table(env: Any, run: Any, tmp_path: Any) -> None:
    env.execute_sql(
        f"CREATE TEMPORARY TABLE doubled (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/d', 'format' = 'parquet')"
    )
    env.execute_sql(f"INSERT INTO doubled {doubled(40)}").wait()
    assert run.rows("SELECT a FROM doubled") == [(0,)]


def test_a_condition_on_a_small_column_still_moves_to_the_scan(env: Any, zeros: str) -> None:
    plan = env.explain_sql(f"SELECT * FROM ({doubled(3, zeros)}) WHERE a > 4")
    assert "monotonically_increasing_id" not in plan


@pytest.mark.parametrize("nullable", [True, False])
def test_a_barrier_keeps_nullability(spark: Any, nullable: bool) -> None:
    value = "CAST(a AS INT)" if not nullable else "IF(a > 5, a, NULL)"
    frame = spark.sql(f"SELECT {barrier(value, nullable=nullable)} AS b FROM VALUES (1) AS t(a)")
    assert frame.schema["b"].nullable is nullable


NULLS = "(VALUES CAST(NULL AS INT), 0) AS t (a)"


@pytest.mark.parametrize("levels", [13, 15, 22])
def test_a_column_that_is_doubled_below_a_condition_is_compared(run: Any, levels: int) -> None:
    assert sorted(run.rows(doubled(levels, NULLS) + " WHERE a IS NULL OR a < 1"), key=str) == [(0,), (None,)]


ROWS = ValuesQueryOperation((), ResolvedSchema.physical([("a", IntType())]))


def sum_of(levels: int, index: int = 0, side: int = 0) -> ResolvedExpression:
    """Returns a column that is doubled this many times within one expression."""
    made: ResolvedExpression = FieldReferenceExpression("a", IntType(), side, index)
    for _ in range(levels):
        made = CallExpression(arithmetic.PLUS, (made, made), IntType())
    return made


def doubled_plan(levels: int) -> QueryOperation:
    plan: QueryOperation = ROWS
    for _ in range(levels):
        plan = ProjectQueryOperation((sum_of(1),), ("a",), plan)
    return plan


def is_null(value: ResolvedExpression) -> CallExpression:
    return CallExpression(comparison.IS_NULL, (value,), BooleanType(nullable=False))


def test_the_last_column_below_a_condition_that_becomes_too_large_is_not_inlined() -> None:
    below = doubled_plan(5)
    assert large_columns(FilterQueryOperation(is_null(sum_of(6)), below)) == {id(below): {0}}


def test_a_condition_that_stays_small_inlines_its_columns() -> None:
    assert large_columns(FilterQueryOperation(is_null(sum_of(0)), doubled_plan(5))) == {}


def test_a_large_condition_over_columns_of_a_table_has_nothing_to_inline() -> None:
    assert large_columns(FilterQueryOperation(is_null(sum_of(11)), ROWS)) == {}


def test_the_column_of_the_right_side_is_not_inlined_into_a_join_condition_that_becomes_too_large() -> None:
    left, right = doubled_plan(5), doubled_plan(5)
    plan = JoinQueryOperation(left, right, JoinType.INNER, is_null(sum_of(6, side=1)))
    assert large_columns(plan) == {id(right): {0}}


def test_a_condition_that_becomes_too_large_inlines_no_column_of_any_input_of_a_union() -> None:
    first, second = doubled_plan(5), doubled_plan(4)
    union = SetQueryOperation((first, second), SetOperationType.UNION, True, (IntType(),))
    assert large_columns(FilterQueryOperation(is_null(sum_of(6)), union)) == {id(first): {0}, id(second): {0}}


def test_a_renamed_column_is_not_inlined_where_it_is_computed() -> None:
    below = doubled_plan(5)
    renamed = ProjectQueryOperation((sum_of(0),), ("b",), below)
    assert large_columns(FilterQueryOperation(is_null(sum_of(6)), renamed)) == {id(below): {0}}
