"""Comparisons. Timestamps of different encodings are compared in the finer one."""

from __future__ import annotations

from collections.abc import Sequence

from table_api_bridge import has_nanosecond_encoding
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison as fn
from table_common.types import LocalZonedTimestampType, LogicalType, TimestampType
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.translation import Translation, template

__all__ = ["FUNCTIONS", "alike"]


def alike(call: CallExpression, args: Sequence[str]) -> list[str]:
    """Returns the arguments such that timestamps are all in Spark's type or all BIGINT nanoseconds."""
    types = [arg.output_type for arg in call.args]
    finest = next((type_ for type_ in types if has_nanosecond_encoding(type_)), None)
    if finest is None:
        return list(args)
    return [
        to_spark_cast(text, type_, _finest_of(finest, type_)) if isinstance(type_, (TimestampType, LocalZonedTimestampType)) else text
        for text, type_ in zip(args, types, strict=True)
    ]


def _finest_of(finest: LogicalType, type_: TimestampType | LocalZonedTimestampType) -> LogicalType:
    return type(type_)(9, nullable=type_.nullable) if has_nanosecond_encoding(finest) else type_


def _compare(text: str) -> Translation:
    fill = template(text)
    return lambda call, args: fill(call, alike(call, args))


def _in(word: str) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        value, *options = alike(call, args)
        return f"({value} {word} ({', '.join(options)}))"

    return translate


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.EQUALS: _compare("({0} = {1})"),
    fn.NOT_EQUALS: _compare("({0} <> {1})"),
    fn.LESS_THAN: _compare("({0} < {1})"),
    fn.LESS_THAN_OR_EQUAL: _compare("({0} <= {1})"),
    fn.GREATER_THAN: _compare("({0} > {1})"),
    fn.GREATER_THAN_OR_EQUAL: _compare("({0} >= {1})"),
    fn.IS_DISTINCT_FROM: _compare("(NOT ({0} <=> {1}))"),
    fn.IS_NOT_DISTINCT_FROM: _compare("({0} <=> {1})"),
    fn.IS_NULL: template("({0} IS NULL)"),
    fn.IS_NOT_NULL: template("({0} IS NOT NULL)"),
    fn.BETWEEN: _compare("({0} BETWEEN {1} AND {2})"),
    fn.NOT_BETWEEN: _compare("({0} NOT BETWEEN {1} AND {2})"),
    fn.IN: _in("IN"),
    fn.NOT_IN: _in("NOT IN"),
}
