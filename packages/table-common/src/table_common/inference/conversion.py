"""Argument and result types of CAST."""

from __future__ import annotations

from collections.abc import Callable

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeStrategy
from table_common.types.casts import supports_explicit_cast
from table_common.types.logical import LogicalType, NullType, ZonedTimestampType
from table_common.types.time_attributes import plain_timestamp


@dataclass(frozen=True, slots=True)
class _CastArguments(InputTypeStrategy):
    supports: Callable[[LogicalType, LogicalType], bool]

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, 2)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        source, target = context.argument_types
        if 1 not in context.type_literals:
            return None
        if not isinstance(source, NullType) and not self.supports(source, target):
            hint = (
                "use TIMESTAMP_LTZ, an instant that is shown in the session's time zone" if isinstance(target, ZonedTimestampType) else None
            )
            raise ValidationException(f"{context.name} cannot convert {plain_timestamp(source)} to {target}.", hint=hint)
        return source, target

    @override
    def signatures(self) -> list[str]:
        return ["<ANY>, <TYPE>"]


def cast_arguments() -> InputTypeStrategy:
    """Any value and a type that it can be cast to; NULL goes to every type."""
    return _CastArguments(supports_explicit_cast)


def cast_result() -> TypeStrategy:
    """The type named, nullable if the value is."""
    return lambda context: context.argument_types[1].with_nullability(context.argument_types[0].nullable)
