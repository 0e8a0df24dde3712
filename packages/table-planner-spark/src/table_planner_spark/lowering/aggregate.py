"""Lowers GROUP BY, with or without GROUPING SETS."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from table_api.operations import AggregateCall, AggregateQueryOperation, ProjectQueryOperation, QueryOperation
from table_api.plan import shown_columns, shown_text
from table_common.exceptions import TableException, TableRuntimeException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    references,
)
from table_common.functions.builtin import aggregates, collections, conversion
from table_common.types import ArrayType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import refusal_of, to_spark_sql
from table_planner_spark.expressions.engine_functions import aggregate_translation
from table_planner_spark.expressions.functions import AggregateArguments
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.shown_places import ShownKey, shown_place
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


@lower.register(AggregateQueryOperation)
def lower_aggregate(node: AggregateQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Aggregates the child; without aggregates only the distinct groups remain."""
    (child,) = inputs
    keys = [child.columns[reference.field_index] for reference in node.grouping]
    key_names = context.new_names(node.names[: len(keys)])
    call_names = context.new_names(node.names[len(keys) :])
    if _has_states(node):
        from table_planner_spark.lowering.user_aggregate import states_of

        child, keys, texts = states_of(node, child, context)
    else:
        shown_keys = _shown_keys(node, keys if node.grouping_sets is None else key_names)
        texts = [_call(call, child.columns, node, shown_keys) for call in node.aggregates]
    calls = [f"{text} AS {quote_name(name)}" for name, text in zip(call_names, texts, strict=True)]
    copies = [f"{quote_name(key)} AS {quote_name(name)}" for key, name in zip(keys, key_names, strict=True)]
    names = (*key_names, *call_names)
    if node.grouping_sets is None:
        by = f" GROUP BY {', '.join(map(quote_name, keys))}" if keys else ""
        return child.select([*copies, *calls], names, by).as_step()
    # Group by copies: a column can be key and argument, and Spark sets keys outside the grouping set to NULL.
    copied = child.select([*map(quote_name, child.columns), *copies], (*child.columns, *key_names))
    grouping_id = context.new_name("grouping_id")
    quoted = list(map(quote_name, key_names))
    sets = ", ".join(f"({', '.join(quoted[position] for position in positions)})" for positions in node.grouping_sets)
    identifier = f"CAST(grouping_id() AS BIGINT) AS {quote_name(grouping_id)}"
    by = f" GROUP BY {', '.join(quoted)} GROUPING SETS ({sets})"
    return copied.select([*quoted, *calls, identifier], (*names, grouping_id), by).as_step()


def _has_states(node: AggregateQueryOperation) -> bool:
    if not node.aggregates or not node.aggregates[0].function.is_user_defined:
        return False
    from table_planner_spark.lowering.user_aggregate import has_states

    return has_states(node)


def _shown_keys(node: AggregateQueryOperation, keys: Sequence[str]) -> list[ShownKey]:
    """Returns the columns that identify a group; ``keys`` are their Spark names."""
    shown = shown_columns(node.child)
    has_sets = node.grouping_sets is not None
    return [
        ShownKey(
            shown[reference.field_index], quote_name(key), reference.output_type, f"grouping({quote_name(key)}) = 1" if has_sets else ""
        )
        for reference, key in zip(node.grouping, keys, strict=True)
    ]


def _call(call: AggregateCall, columns: Sequence[str], node: AggregateQueryOperation, shown_keys: Sequence[ShownKey]) -> str:
    if call.function.is_user_defined:
        from table_planner_spark.expressions.user_functions import aggregate_call

        filtered = "" if call.filter is None else f" FILTER (WHERE {to_spark_sql(call.filter, columns)})"
        return aggregate_call(call, [to_spark_sql(arg, columns) for arg in call.args], filtered)
    translate = aggregate_translation(call.function)
    if translate is None:
        raise TableException(refusal_of(call.function))
    keys = tuple(to_spark_sql(order.expression, columns) for order in call.order_by)
    order = ", ".join(
        f"{key} {'ASC' if o.ascending else 'DESC'} NULLS {'FIRST' if o.nulls_first else 'LAST'}"
        for key, o in zip(keys, call.order_by, strict=True)
    )
    condition = "" if call.filter is None else f" FILTER (WHERE {to_spark_sql(call.filter, columns)})"
    values = [arg if position == 0 else _constant(arg, node.child) for position, arg in enumerate(call.args)]
    if call.function is aggregates.PERCENTILE:
        _check_shares(values[1:2])
    arguments = tuple(to_spark_sql(value, columns) for value in values)
    has_distinct = any(other.distinct for other in node.aggregates)
    place = ""
    if call.function in (aggregates.SUM, aggregates.SUM0):
        shown = shown_columns(node.child)
        place = shown_place(call.function.name, [shown_text(arg, shown) for arg in call.args], shown_keys, distinct=call.distinct)
    return translate(call, AggregateArguments(arguments, order, condition, keys, has_distinct, place))


def _check_shares(shares: Sequence[ResolvedExpression]) -> None:
    """Raises the error of the embedded engine for a computed constant: Spark rejects it in its analysis, which no query should reach."""
    for share in shares:
        values = share.args if isinstance(share, CallExpression) and share.function is collections.ARRAY else (share,)
        for value in values:
            number = value.value if isinstance(value, ValueLiteralExpression) else None
            if isinstance(number, (int, float, Decimal)) and not 0 <= number <= 1:
                raise TableRuntimeException(f"PERCENTILE takes shares from 0 to 1, but got {number}.")


def _constant(argument: FieldReferenceExpression, child: QueryOperation) -> ResolvedExpression:
    """Returns the constant expression that computes a column, or else the column: Spark requires such arguments in the call itself."""
    if isinstance(child, ProjectQueryOperation):
        expression = child.projection[argument.field_index]
        if not references([expression]):
            return _cast_elements(expression)
    return argument


def _cast_elements(expression: ResolvedExpression) -> ResolvedExpression:
    """Moves the cast of an ARRAY constructor into its elements: Spark does not consider a lambda constant."""
    match expression:
        case CallExpression(
            function=conversion.CAST, args=(CallExpression(function=collections.ARRAY, args=items), *_), output_type=ArrayType() as wanted
        ):
            element = wanted.element_type
            casts = [CallExpression(conversion.CAST, (item, TypeLiteralExpression(element)), element) for item in items]
            return CallExpression(collections.ARRAY, tuple(casts), wanted)
        case _:
            return expression
