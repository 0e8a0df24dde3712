"""What Spark SQL has no words for runs in Python workers, with the results of the Arrow kernels."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import strings
from table_common.types import CharType, IntType, VarCharType
from table_planner_spark.expressions.names import WORKER_PREFIX, bind
from table_planner_spark.expressions.session_scope import SessionScope, session_scope
from table_planner_spark.expressions.worker_kernels import evaluate_columns, through_kernel

TEXT = FieldReferenceExpression("x", VarCharType(), 0, 0)
CALL = CallExpression(
    strings.INSTR,
    (TEXT, ValueLiteralExpression("a", CharType(1, nullable=False)), *[ValueLiteralExpression(n, IntType(nullable=False)) for n in (1, 2)]),
    IntType(),
)


def test_only_what_is_no_constant_is_handed_over() -> None:
    name, _, arguments = through_kernel(CALL, ["`x`", "'a'", "1", "2"]).partition("(")
    assert name.startswith(WORKER_PREFIX)
    assert arguments == "`x`)"


def test_equal_calls_are_one_function_of_a_session(spark: SparkSession) -> None:
    with session_scope(SessionScope(spark)):
        first, second = (through_kernel(CALL, [text, "'a'", "1", "2"]) for text in ("`x`", "`y`"))
    assert first.partition("(")[0] == second.partition("(")[0]
    assert spark.catalog.functionExists(first.partition("(")[0])


def test_a_worker_returns_the_result_of_the_kernel() -> None:
    import pickle

    import pyarrow as pa

    from table_runtime.expressions import EvaluationContext, Evaluator

    payload = pickle.dumps(Evaluator([CALL], EvaluationContext()))
    assert evaluate_columns(payload, [pa.array(["banana", None, "b"], pa.large_string())]).to_pylist() == [4, None, 0]


def test_no_lambda_holds_a_call_of_a_worker() -> None:
    call = through_kernel(CALL, ["`x`", "'a'", "1", "2"])
    long_text = f"coalesce({'`a_long_name_of_a_column`, ' * 6}0)"
    assert "->" not in bind(long_text, lambda value: f"({value} + {call})")


@pytest.mark.parametrize(
    ("expressions", "rows"),
    [
        ("INSTR(x, 'a', 1, 2), x SIMILAR TO p", [(4, True), (0, False)]),
        ("BITMAP_TO_STRING(BITMAP_BUILD(ARRAY[CHAR_LENGTH(x), 1])), 0", [("{1,6}", 0), ("{1,3}", 0)]),
        ('JSON_QUERY(\'{"a":[{"b":1},{"b":2}]}\', \'lax $.a[*].b\'), 0', [("[1,2]", 0), ("[1,2]", 0)]),
    ],
)
def test_queries_use_them(run: Any, expressions: str, rows: list[tuple[Any, ...]]) -> None:
    assert run.rows(f"SELECT {expressions} FROM (VALUES ('banana', 'b%'), ('abc', 'x|y')) AS t(x, p)") == rows


def test_bitmaps_are_aggregated_by_group_beside_other_aggregates(run: Any) -> None:
    statement = "SELECT k, BITMAP_TO_STRING(BITMAP_BUILD_AGG(x)), COUNT(*) FROM (VALUES (1, 7), (1, 3), (2, 1)) AS t(k, x) GROUP BY k"
    assert sorted(run.rows(statement)) == [(1, "{3,7}", 2), (2, "{1}", 1)]
