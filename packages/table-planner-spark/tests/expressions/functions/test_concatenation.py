"""Texts joined together: the text of a chain is one call, with one guard of its size or none."""

from __future__ import annotations

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import strings
from table_common.types import VarCharType
from table_planner_spark.expressions.converter import to_spark_sql


def test_a_chain_of_columns_with_short_types_has_no_guard() -> None:
    call = FieldReferenceExpression("a", VarCharType(100), 0, 0)
    chain: ResolvedExpression = call
    for _ in range(3):
        chain = CallExpression(strings.CONCAT_OP, (chain, call), VarCharType(1000))
    assert to_spark_sql(chain, ["a"]) == "concat(`a`, `a`, `a`, `a`)"


def test_a_long_chain_has_one_guard() -> None:
    column = FieldReferenceExpression("a", VarCharType(), 0, 0)
    chain: ResolvedExpression = column
    for _ in range(5000):
        chain = CallExpression(strings.CONCAT_OP, (chain, column), VarCharType())
    text = to_spark_sql(chain, ["a"])
    assert text.startswith("if((0L + octet_length(`a`) * 5001L) > 268435456, raise_error(")
    assert text.count("(") < 20
