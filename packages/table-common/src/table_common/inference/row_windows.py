"""Argument and result types of functions of neighboring rows, group windows and pattern matching."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, replace
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeStrategy
from table_common.types.logical import (
    EXACT_INTEGERS,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    TimestampKind,
    TimestampType,
)
from table_common.types.merging import find_common_type


@dataclass(frozen=True, slots=True)
class _NeighborArguments(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(1, 3)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        types = context.argument_types
        if isinstance(types[0], NullType) or (len(types) > 1 and not isinstance(types[1], EXACT_INTEGERS)):
            return None
        if len(types) < 3:
            return types
        common = find_common_type((types[0], types[2]))
        if common is None:
            return None
        return common.with_nullability(types[0].nullable), types[1], common.with_nullability(types[2].nullable)

    @override
    def signatures(self) -> list[str]:
        return ["<ANY>[, <INT>][, <DEFAULT>]"]


def neighbor_arguments() -> InputTypeStrategy:
    """A value, a distance in rows, and the default if there is no such row; value and default are cast to their common type."""
    return _NeighborArguments()


def neighbor() -> TypeStrategy:
    """The type of LAG and LEAD: nullable, unless a default is given that is NOT NULL."""

    def infer(context: CallContext) -> LogicalType | None:
        types = context.argument_types
        return types[0].with_nullability(len(types) < 3 or types[2].nullable)

    return infer


def window_bound() -> TypeStrategy:
    """The start or end of a group window: a NOT NULL timestamp without a zone, of the time column's precision, 3 at least for a time attribute."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        if isinstance(given, (TimestampType, LocalZonedTimestampType)):
            precision = given.precision if given.kind is TimestampKind.REGULAR else max(given.precision, 3)
            return TimestampType(precision, nullable=False)
        return None

    return infer


def window_time_attribute() -> TypeStrategy:
    """The time attribute that a group window hands on: the type of the time column, with its kind."""
    return lambda context: context.argument_types[0]


def pattern_value() -> TypeStrategy:
    """The value of a row of the match; with a distance in rows it may be missing."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        return given if len(context.argument_types) == 1 else given.with_nullability(True)

    return infer


def match_rowtime() -> TypeStrategy:
    """The event time of the last row of the match: the type of the attribute given, else TIMESTAMP(3)."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0] if context.argument_types else TimestampType(3)
        if not isinstance(given, (TimestampType, LocalZonedTimestampType)):
            return None
        return replace(given, kind=TimestampKind.ROWTIME)

    return infer
