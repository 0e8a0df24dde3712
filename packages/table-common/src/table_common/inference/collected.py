"""Result types of aggregates that collect values."""

from __future__ import annotations

from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import ArrayType, DoubleType, LogicalType, MultisetType

__all__ = ["array_of_argument", "multiset_of_argument", "percentile"]


def multiset_of_argument() -> TypeStrategy:
    """The result of COLLECT: empty if there is nothing, so NOT NULL."""
    return lambda context: MultisetType(context.argument_types[0], nullable=False)


def array_of_argument() -> TypeStrategy:
    """The result of ARRAY_AGG; nullable if the argument is or there may be no rows."""

    def infer(context: CallContext) -> LogicalType | None:
        element = context.argument_types[0]
        return ArrayType(element, nullable=element.nullable or context.is_global_aggregate)

    return infer


def percentile() -> TypeStrategy:
    """The result of PERCENTILE: DOUBLE, or an array of them for an array of shares; nullable."""
    return lambda context: ArrayType(DoubleType()) if isinstance(context.argument_types[1], ArrayType) else DoubleType()
