"""Result types of functions on dates and times."""

from __future__ import annotations

from table_common.configuration.time_zone import time_zone_of
from table_common.exceptions import ValidationException
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import BigIntType, DateType, LocalZonedTimestampType, LogicalType, TimestampType
from table_common.types.symbols import TimeUnit

_SHORTER_THAN_A_DAY = {
    TimeUnit.NANOSECOND,
    TimeUnit.MICROSECOND,
    TimeUnit.MILLISECOND,
    TimeUnit.SECOND,
    TimeUnit.MINUTE,
    TimeUnit.HOUR,
}


def timestamp_added() -> TypeStrategy:
    """The result of TIMESTAMPADD: the type of the value; a DATE to which less than a day may be added becomes a TIMESTAMP(6)."""

    def infer(context: CallContext) -> LogicalType | None:
        _, count, value = context.argument_types
        nullable = count.nullable or value.nullable
        if isinstance(value, DateType) and context.literal(0) in _SHORTER_THAN_A_DAY:
            return TimestampType(6, nullable=nullable)
        return value.with_nullability(nullable)

    return infer


def epoch_timestamp() -> TypeStrategy:
    """The result of TO_TIMESTAMP_LTZ: TIMESTAMP_LTZ of the precision that is given or that the pattern has, of 3 at least; nullable."""

    def infer(context: CallContext) -> LogicalType | None:
        zone = context.literal(2)
        if isinstance(zone, str):
            time_zone_of(zone)
        precision = context.literal(1)
        if isinstance(precision, str):
            precision = len(precision) - len(precision.rstrip("S"))  # digits of the second that end the pattern
            if precision > 9:
                raise ValidationException(
                    f"The date pattern of {context.name} has {precision} letters 'S', more than 9 digits of a second."
                )
        if not isinstance(precision, int):
            return LocalZonedTimestampType(3)
        if not 0 <= precision <= 9:
            raise ValidationException(f"{context.name} takes a precision from 0 to 9, but got {precision}.")
        return LocalZonedTimestampType(max(3, precision))

    return infer


def extracted() -> TypeStrategy:
    """The result of EXTRACT: BIGINT; nullable if the value is.

    Raises:
        ValidationException: when the type is inferred, for parts of a second of a DATE.
    """

    def infer(context: CallContext) -> LogicalType | None:
        unit, value = context.literal(0), context.argument_types[1]
        if isinstance(value, DateType) and unit in (TimeUnit.NANOSECOND, TimeUnit.MICROSECOND):
            raise ValidationException(f"EXTRACT cannot take {unit.value} from a DATE.", hint="cast it to TIMESTAMP(9)")
        return BigIntType(nullable=value.nullable)

    return infer


def current_watermark() -> TypeStrategy:
    """The result of CURRENT_WATERMARK: TIMESTAMP(3), or TIMESTAMP_LTZ(3) for such an attribute; NULL before the first watermark."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        return LocalZonedTimestampType(3) if isinstance(given, LocalZonedTimestampType) else TimestampType(3)

    return infer
