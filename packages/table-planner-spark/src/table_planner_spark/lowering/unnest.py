"""Lowers UNNEST to ``posexplode``, and table functions of Spark and Hive to LATERAL VIEW."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import UnnestQueryOperation
from table_common.exceptions import TableException
from table_common.expressions import CallExpression
from table_common.functions import FunctionKind
from table_common.types import MapType, MultisetType, RowType, StructuredType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.engine_functions import SparkFunction, call_text
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


@lower.register(UnnestQueryOperation)
def lower_unnest(node: UnnestQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Joins each row with the elements of its collection."""
    (child,) = inputs
    call = node.expression
    if isinstance(call, CallExpression) and isinstance(call.function, SparkFunction) and call.function.kind is FunctionKind.TABLE:
        return _generate(node, call, call.function, child, context)
    collection = node.expression.output_type
    text = to_spark_sql(node.expression, child.columns)
    if isinstance(collection, MultisetType):
        text = f"flatten(transform(map_entries({text}), __entry -> array_repeat(__entry.key, __entry.value)))"
    position = context.new_name("position")
    parts = context.new_names(["key", "value"] if isinstance(collection, MapType) else ["element"])
    generator = f"{'posexplode_outer' if node.keeps_empty else 'posexplode'}({text}) AS ({', '.join(map(quote_name, (position, *parts)))})"
    kept = [quote_name(name) for name in child.columns]
    exploded = child.select([*kept, generator], (*child.columns, position, *parts)).as_step()

    names = context.new_names(node.names)
    element = node.element_type(collection)
    if isinstance(element, (RowType, StructuredType)):
        values = [f"{quote_name(parts[0])}.{quote_name(field.name)}" for field in element.fields]
    else:
        values = [quote_name(part) for part in parts]
    if node.with_ordinality:
        values.append(f"({quote_name(position)} + 1)")
    computed = [f"{value} AS {quote_name(name)}" for value, name in zip(values, names, strict=True)]
    return exploded.select([*kept, *computed], (*child.columns, *names))


def _generate(
    node: UnnestQueryOperation, call: CallExpression, function: SparkFunction, child: SparkRelation, context: LoweringContext
) -> SparkRelation:
    """Joins each row with the result of a table function of Spark or Hive."""
    if node.with_ordinality:
        raise TableException(
            f"The planner 'spark' supports WITH ORDINALITY only for collections, not for the table function {function.name}."
        )
    names = context.new_names(node.names)
    view = context.new_name("rows")
    outer = "OUTER " if node.keeps_empty else ""
    texts = [to_spark_sql(argument, child.columns) for argument in call.args]
    rows = call_text(function, texts, [argument.output_type for argument in call.args], None)
    columns = (*child.columns, *names)
    suffix = f" LATERAL VIEW {outer}{rows} {quote_name(view)} AS {', '.join(map(quote_name, names))}"
    return child.select(list(map(quote_name, columns)), columns, suffix).as_step()
