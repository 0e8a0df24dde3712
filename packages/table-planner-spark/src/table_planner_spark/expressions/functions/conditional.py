"""Choosing one of the arguments; each is cast to the call's type, so that Spark does not choose another one."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conditional as fn
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.translation import Translation, template

__all__ = ["FUNCTIONS"]


def _result(call: CallExpression, args: Sequence[str], position: int) -> str:
    source = call.args[position].output_type
    # The common type pads and cuts nothing: only what differs in Spark is cast.
    return to_spark_cast(args[position], source, call.output_type.with_nullability(source.nullable))


def _case(call: CallExpression, args: Sequence[str]) -> str:
    branches = " ".join(f"WHEN {args[i]} THEN {_result(call, args, i + 1)}" for i in range(0, len(args) - 1, 2))
    last = call.args[-1]
    if isinstance(last, ValueLiteralExpression) and last.is_null():
        return f"(CASE {branches} END)"
    return f"(CASE {branches} ELSE {_result(call, args, len(args) - 1)} END)"


def _if(call: CallExpression, args: Sequence[str]) -> str:
    return f"if({args[0]}, {_result(call, args, 1)}, {_result(call, args, 2)})"


def _choose(name: str) -> Translation:
    return lambda call, args: f"{name}({', '.join(_result(call, args, i) for i in range(len(args)))})"


def _extreme(name: str) -> Translation:
    choose = _choose(name)

    def translate(call: CallExpression, args: Sequence[str]) -> str:
        if len(args) == 1:
            return _result(call, args, 0)
        nullable = [text for text, arg in zip(args, call.args, strict=True) if arg.output_type.nullable]
        chosen = choose(call, args)  # Spark leaves NULLs out; in Flink one makes the result NULL
        return f"if({' OR '.join(f'{text} IS NULL' for text in nullable)}, NULL, {chosen})" if nullable else chosen

    return translate


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.CASE: _case,
    fn.IF: _if,
    fn.COALESCE: _choose("coalesce"),
    fn.IFNULL: _choose("coalesce"),
    fn.NULLIF: template("nullif({0}, {1})"),
    fn.GREATEST: _extreme("greatest"),
    fn.LEAST: _extreme("least"),
}
