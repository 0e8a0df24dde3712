"""Conditional functions. Each result argument is cast to the call's type, because Spark might infer another common type."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conditional as fn
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.comparison import alike, can_be_nan, equals
from table_planner_spark.expressions.functions.translation import Translation
from table_planner_spark.expressions.names import bind


def _result(call: CallExpression, args: Sequence[str], position: int) -> str:
    source = call.args[position].output_type
    # A cast to the common type never pads or truncates; only arguments whose Spark type differs are cast.
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
        if any(map(can_be_nan, call.args)):
            return _chosen_in_turn(">" if name == "greatest" else "<", call, args)
        chosen = choose(call, args)  # Spark ignores NULLs; in Flink one NULL makes the result NULL
        return f"if({' OR '.join(f'{text} IS NULL' for text in nullable)}, NULL, {chosen})" if nullable else chosen

    return translate


def _chosen_in_turn(symbol: str, call: CallExpression, args: Sequence[str]) -> str:
    """Compares the arguments from left to right, as Flink does: one replaces the best so far if it compares as better, which NaN never does."""
    results = [_result(call, args, position) for position in range(len(args))]

    def choose(best: str, rest: Sequence[str]) -> str:
        if not rest:
            return best
        item, *others = rest
        is_better = f"({item} {symbol} {best} AND NOT isnan({item}) AND NOT isnan({best}))"
        chosen = f"(CASE WHEN {item} IS NULL OR {best} IS NULL THEN NULL WHEN {is_better} THEN {item} ELSE {best} END)"
        return bind(chosen, lambda value: choose(value, others))

    return choose(results[0], results[1:])


def _nullif(call: CallExpression, args: Sequence[str]) -> str:
    if not all(map(can_be_nan, call.args)) and alike(call, args) == list(args):
        return f"nullif({args[0]}, {args[1]})"
    return bind(args[0], lambda value: f"if({equals(call, [value, args[1]])}, NULL, {value})")


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.CASE: _case,
    fn.IF: _if,
    fn.COALESCE: _choose("coalesce"),
    fn.IFNULL: _choose("coalesce"),
    fn.NULLIF: _nullif,
    fn.GREATEST: _extreme("greatest"),
    fn.LEAST: _extreme("least"),
}
