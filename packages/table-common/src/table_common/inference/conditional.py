"""Argument and result types of CASE."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeStrategy
from table_common.types.logical import BooleanType, LogicalType, NullType
from table_common.types.merging import find_common_type


def _values(types: tuple[LogicalType, ...]) -> tuple[LogicalType, ...]:
    return (*types[1:-1:2], types[-1])


@dataclass(frozen=True, slots=True)
class _CaseBranches(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(3, None)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        types = context.argument_types
        if len(types) % 2 == 0 or not all(isinstance(type_, (BooleanType, NullType)) for type_ in types[:-1:2]):
            return None
        common = find_common_type(_values(types))
        if common is None:
            return None
        return tuple(
            BooleanType(nullable=type_.nullable)
            if position % 2 == 0 and position < len(types) - 1
            else common.with_nullability(type_.nullable)
            for position, type_ in enumerate(types)
        )

    @override
    def signatures(self) -> list[str]:
        return ["[<BOOLEAN>, <COMMON>]..., <COMMON>"]


def case_branches() -> InputTypeStrategy:
    """Pairs of condition and value, then the value of ELSE; the values are cast to their common type."""
    return _CaseBranches()


def case_result() -> TypeStrategy:
    """The common type of the values; nullable if one of them is, whatever the conditions are."""

    def infer(context: CallContext) -> LogicalType | None:
        return find_common_type(_values(context.argument_types))

    return infer
