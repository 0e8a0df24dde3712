"""Result types of aggregates that collect values, and the check of their constants."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Protocol

from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import ArrayType, DoubleType, LogicalType, MultisetType


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


class _Constant(Protocol):
    """A constant; its text is SQL."""

    @property
    def value(self) -> Any:
        """None for NULL."""


def check_shares(constants: Sequence[Sequence[_Constant]]) -> str | None:
    """Returns what is wrong if one of the constants in the second argument of PERCENTILE is not between 0 and 1."""
    for constant in constants[1]:
        if constant.value is None or (isinstance(constant.value, (int, float, Decimal)) and not 0 <= constant.value <= 1):
            return f"PERCENTILE takes shares from 0 to 1, but got {constant}."
    return None
