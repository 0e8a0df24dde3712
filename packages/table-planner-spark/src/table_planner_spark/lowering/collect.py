"""Lowers the root of a query: encodes its rows for the transport to Arrow."""

from __future__ import annotations

from table_api.operations import ModifyOperation
from table_planner_spark.expressions.python_boundary import encode_sql
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


def lower_collect(node: ModifyOperation, child: SparkRelation) -> SparkRelation:
    """Returns the rows with columns in transport types, under the unique names of the plan."""
    types = node.child.resolved_schema.column_types
    names = list(map(quote_name, child.columns))
    texts = [encode_sql(name, type_) for name, type_ in zip(names, types, strict=True)]
    if texts == names:
        return child
    return child.select([f"{text} AS {name}" for text, name in zip(texts, names, strict=True)], child.columns)
