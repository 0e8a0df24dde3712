"""Translates resolved expressions to Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.exceptions import TableException, TableInternalError
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions import FunctionDefinition
from table_common.tree import fold
from table_common.types import TimeType
from table_planner_spark.expressions.functions import SCALAR_FUNCTIONS
from table_planner_spark.expressions.functions.concatenation import Chain, as_text, is_link
from table_planner_spark.expressions.functions.unsupported import UNSUPPORTED
from table_planner_spark.expressions.literal import to_spark_literal
from table_planner_spark.expressions.names import to_type_sql
from table_planner_spark.expressions.nesting import MAX_NESTING, check_nesting
from table_planner_spark.quoting import quote_name


def to_spark_sql(expression: ResolvedExpression, *inputs: Sequence[str]) -> str:
    """Returns the expression as Spark SQL. ``inputs`` are the column names of each input.

    Raises:
        TableException: a function has no translation (the message names it and the reason), or the text is nested too deeply for Spark.
    """
    checked = MAX_NESTING

    def combine(node: ResolvedExpression, arguments: Sequence[Chain | str]) -> Chain | str:
        nonlocal checked
        if is_link(node):
            assert isinstance(node, CallExpression)
            return Chain(arguments[0], node, as_text(arguments[1]))
        text = translate_node(node, list(map(as_text, arguments)))
        if len(text) > checked:
            check_nesting(text)
            checked = 2 * len(text)
        return text

    def translate_node(node: ResolvedExpression, arguments: Sequence[str]) -> str:
        if isinstance(node.output_type, TimeType):
            to_type_sql(node.output_type)  # refuses TIME where Spark has no such type, also where its values would be numbers
        match node:
            case FieldReferenceExpression():
                return quote_name(inputs[node.input_index][node.field_index])
            case ValueLiteralExpression():
                return to_spark_literal(node)
            case TypeLiteralExpression():
                return to_type_sql(node.output_type)
            case CallExpression():
                if node.function.is_user_defined:
                    from table_planner_spark.expressions.user_functions import scalar_call

                    return scalar_call(node, arguments)
                translate = SCALAR_FUNCTIONS.get(node.function)
                if translate is None:
                    from table_planner_spark.expressions.engine_functions import SparkFunction, call_text

                    if isinstance(node.function, SparkFunction):
                        return call_text(node.function, arguments, [arg.output_type for arg in node.args], node.output_type)
                    raise TableException(refusal_of(node.function))
                return translate(node, arguments)
            case _:
                raise TableInternalError(f"The Spark planner was given an expression of class {type(node).__name__}.")

    text = as_text(fold(expression, ResolvedExpression, combine))
    check_nesting(text)
    return text


def refusal_of(function: FunctionDefinition) -> str:
    """Returns the message for a function that this planner does not support."""
    reason = UNSUPPORTED.get(function)
    if reason is None:
        return f"The planner 'spark' cannot run the function {function.name}: there is no translation for it."
    return f"The planner 'spark' cannot run the function {function.name}: {reason}."
