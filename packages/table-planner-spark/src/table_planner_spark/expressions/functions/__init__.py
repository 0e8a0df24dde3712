"""Translations of the built-in functions to Spark SQL: one file per file of definitions, and the functions that are not supported."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_planner_spark.expressions.functions import (
    aggregates,
    arithmetic,
    bitmap,
    collections,
    comparison,
    concatenation,
    conditional,
    conversion,
    hash,
    json,
    logic,
    math,
    splitting,
    strings,
    temporal,
    variant,
)
from table_planner_spark.expressions.functions.translation import AggregateArguments, AggregateTranslation, Translation

__all__ = ["AGGREGATE_FUNCTIONS", "SCALAR_FUNCTIONS", "AggregateArguments"]

SCALAR_FUNCTIONS: dict[FunctionDefinition, Translation] = {
    function: translation
    for family in (
        arithmetic,
        bitmap,
        collections,
        comparison,
        concatenation,
        conditional,
        conversion,
        hash,
        json,
        logic,
        math,
        splitting,
        strings,
        temporal,
        variant,
    )
    for function, translation in family.FUNCTIONS.items()
}
AGGREGATE_FUNCTIONS: dict[FunctionDefinition, AggregateTranslation] = {**aggregates.FUNCTIONS, **bitmap.AGGREGATES, **json.AGGREGATES}
