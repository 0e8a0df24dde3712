"""CAST and TRY_CAST between SQL types as Spark SQL text, with Flink's results.

Differs from Flink: a number outside the target's range is an error (NULL for TRY_CAST) instead of a silent wrap-around.
"""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    NUMERICS,
    ArrayType,
    BigIntType,
    BinaryStringType,
    BinaryType,
    BooleanType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DistinctType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VariantType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.names import bind, quote_text, to_type_sql
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.expressions.temporal_encoding import (
    DAY_NANOS,
    EPOCH,
    convert_nanos,
    micros_of_interval,
    nanos_to_native,
    native_to_nanos,
    time_of_local,
    truncate_native,
)
from table_planner_spark.expressions.text_format import fit_length, padded_to, to_text
from table_planner_spark.expressions.text_parse import parse_date, parse_floating, parse_integer, parse_time, parse_timestamp
from table_planner_spark.quoting import quote_name

_DateTime = DateType | TimeType | TimestampType | LocalZonedTimestampType


def to_spark_cast(text: str, source: LogicalType, target: LogicalType, *, lenient: bool = False, depth: int = 0) -> str:
    """Returns the cast of ``text``; ``lenient`` returns NULL if a value cannot be cast (TRY_CAST).

    Raises:
        TableException: there is no cast between the types.
    """
    if source.with_nullability(True) == target.with_nullability(True):
        return text
    if isinstance(source, DistinctType):
        return to_spark_cast(text, source.source_type, target, lenient=lenient, depth=depth)
    if isinstance(target, DistinctType):
        return to_spark_cast(text, source, target.source_type, lenient=lenient, depth=depth)
    if isinstance(source, NullType):
        return f"CAST(NULL AS {to_type_sql(target)})"
    if current_scope().legacy_casts:
        changed = _legacy_cast(text, source, target, depth)
        if changed is not None:
            return changed
        lenient = True
    plain = f"{'try_cast' if lenient else 'CAST'}({text} AS {to_type_sql(target)})"
    match target:
        case CharacterType():
            return fit_length(to_text(text, source, depth), source, target)
        case BinaryStringType():
            return _fit_bytes(text if isinstance(source, BinaryStringType) else f"CAST({text} AS BINARY)", source, target)
        case _ if isinstance(target, EXACT_INTEGERS):
            return _to_integer(text, source, target, plain, lenient)
        case VariantType() if isinstance(source, CharacterType):  # JSON text, which represents a VARIANT between Spark and Arrow
            return f"parse_json({text})"
        case FloatType() | DoubleType() if isinstance(source, CharacterType):
            return parse_floating(text, target, lenient)
        case BooleanType() | FloatType() | DoubleType() | VariantType():
            return plain
        case DecimalType():
            return _to_decimal(text, source, target, lenient)
        case DateType() | TimeType() | TimestampType() | LocalZonedTimestampType():
            return _to_datetime(text, source, target, plain, lenient)
        case YearMonthIntervalType():
            if isinstance(source, YearMonthIntervalType):
                return text
            cast = "try_cast" if lenient else "CAST"
            return f"make_ym_interval(0, {_to_integer(text, source, IntType(), f'{cast}({text} AS INT)', lenient)})"
        case DayTimeIntervalType():
            return text if isinstance(source, DayTimeIntervalType) else f"({text} * INTERVAL '0.001' SECOND)"
        case ArrayType() if isinstance(source, ArrayType):
            item = f"__cast{depth}"
            element = to_spark_cast(item, source.element_type, target.element_type, lenient=lenient, depth=depth + 1)
            return text if element == item else f"transform({text}, {item} -> {element})"
        case MapType() if isinstance(source, MapType):
            return _cast_map(text, (source.key_type, source.value_type), (target.key_type, target.value_type), lenient, depth)
        case MultisetType() if isinstance(source, MultisetType):
            return _cast_map(text, (source.element_type, None), (target.element_type, None), lenient, depth)
        case RowType() | StructuredType() if isinstance(source, (RowType, StructuredType)):
            return bind(text, lambda row: _cast_row(row, source, target, lenient, depth))
        case _:
            raise TableException(f"Spark cannot run CAST from {source} to {target}.")


def _to_decimal(text: str, source: LogicalType, target: DecimalType, lenient: bool) -> str:
    """Casts to DECIMAL: as in Flink, a number that does not fit becomes NULL, or an error if the target is NOT NULL; NaN is an error."""
    is_number = isinstance(source, NUMERICS)
    cast = f"{'try_cast' if lenient or (is_number and target.nullable) else 'CAST'}({{}} AS {to_type_sql(target)})"
    if lenient or not isinstance(source, APPROXIMATE_NUMERICS):
        return cast.format(text)
    # Spark returns NULL for NaN and the infinities.
    shown = f"' of type {source.summary()} to {target.summary()}.'"
    return bind(
        text,
        lambda x: f"if({x} - {x} = 0 OR {x} IS NULL, {cast.format(x)}, raise_error(concat('Cannot cast ', CAST({x} AS STRING), {shown})))",
    )


def _legacy_cast(text: str, source: LogicalType, target: LogicalType, depth: int) -> str | None:
    """Returns the cast under ``table.exec.legacy-cast-behaviour``, or None if it differs only in that failures return NULL."""
    if isinstance(target, CharacterType):
        plain = to_text(text, source, depth)
        return f"lower({plain})" if isinstance(source, BooleanType) else plain
    if isinstance(target, EXACT_INTEGERS) and isinstance(source, NUMERICS):
        return f"CAST({_wrapped(_lowest_bits(text, source, target), _BITS[type(target)])} AS {to_type_sql(target)})"
    return None


_BITS = dict(zip(EXACT_INTEGERS, (8, 16, 32, 64), strict=True))


def _lowest_bits(text: str, source: LogicalType, target: LogicalType) -> str:
    """Returns a number as BIGINT: a floating-point number is clamped to the range of INT or BIGINT, a decimal keeps its lowest 64 bits."""
    if isinstance(source, APPROXIMATE_NUMERICS):
        high = 2 ** (63 if isinstance(target, BigIntType) else 31)
        return bind(
            text,
            lambda x: (
                f"(CASE WHEN isnan({x}) THEN 0L WHEN {x} >= CAST({high} AS DOUBLE) THEN {high - 1}L "
                f"WHEN {x} <= CAST(-{high} AS DOUBLE) THEN (-{high - 1}L - 1L) ELSE CAST({x} AS BIGINT) END)"
            ),
        )
    if not isinstance(source, DecimalType):
        return f"CAST({text} AS BIGINT)"
    whole = bind(text, lambda x: f"(if({x} < 0, ceil({x}), floor({x})) % 18446744073709551616)")
    return bind(
        whole,
        lambda x: (
            f"CAST(CASE WHEN {x} > 9223372036854775807 THEN {x} - 18446744073709551616 "
            f"WHEN {x} < -9223372036854775808 THEN {x} + 18446744073709551616 ELSE {x} END AS BIGINT)"
        ),
    )


def _wrapped(text: str, bits: int) -> str:
    return text if bits == 64 else f"((({text} & {2**bits - 1}L) ^ {2 ** (bits - 1)}L) - {2 ** (bits - 1)}L)"


def _fit_bytes(text: str, source: LogicalType, target: BinaryStringType) -> str:
    if isinstance(target, BinaryType):
        if isinstance(source, BinaryType) and source.length == target.length:
            return text
        return padded_to(text, target.length, "X'00'")
    if target.length == VarBinaryType().length or (isinstance(source, BinaryStringType) and source.length <= target.length):
        return text
    return f"substring({text}, 1, {target.length})"


def _to_integer(text: str, source: LogicalType, target: LogicalType, plain: str, lenient: bool) -> str:
    match source:
        case CharacterType():
            return parse_integer(text, target, lenient)
        case YearMonthIntervalType():
            return f"CAST(CAST({text} AS INTERVAL MONTH) AS {to_type_sql(target)})"
        case DayTimeIntervalType():
            return f"CAST({micros_of_interval(text)} div 1000L AS {to_type_sql(target)})"
        case DecimalType() if not isinstance(target, BigIntType):
            # Spark converts a decimal to BIGINT exactly, but through a double to the smaller types.
            cast = "try_cast" if lenient else "CAST"
            return f"{cast}({cast}({text} AS BIGINT) AS {to_type_sql(target)})"
        case _:
            return plain


def _to_datetime(text: str, source: LogicalType, target: _DateTime, plain: str, lenient: bool) -> str:
    if isinstance(source, CharacterType):
        match target:
            case DateType():
                return parse_date(text, lenient)
            case TimeType():
                return parse_time(text, target, lenient)
            case _:
                return parse_timestamp(text, target, lenient)
    if has_nanosecond_encoding(source) and has_nanosecond_encoding(target):
        assert isinstance(target, (TimeType, TimestampType, LocalZonedTimestampType))
        return convert_nanos(text, source, target)
    if has_nanosecond_encoding(source):
        text = nanos_to_native(text, source)
    match target:
        case DateType() | TimeType():
            local = f"CAST({text} AS TIMESTAMP_NTZ)" if isinstance(source, LocalZonedTimestampType) else text
            if has_nanosecond_encoding(target):
                is_time = isinstance(source, TimeType)
                return native_to_nanos(local, target) if is_time else f"pmod({native_to_nanos(local, TimestampType(9))}, {DAY_NANOS})"
            if isinstance(target, TimeType) and not isinstance(source, TimeType):
                return time_of_local(local, target.precision)
            return f"CAST({local} AS {to_type_sql(target)})"
        case TimestampType():
            native = f"CAST({_as_timestamp(text, source)} AS TIMESTAMP_NTZ)"
        case LocalZonedTimestampType():
            native = f"CAST({_as_timestamp(text, source)} AS TIMESTAMP_LTZ)"
    if has_nanosecond_encoding(target):
        return native_to_nanos(native, target)
    if isinstance(source, (TimestampType, LocalZonedTimestampType)) and source.precision <= target.precision:
        return native
    return native if isinstance(source, DateType) else truncate_native(native, target)


def _as_timestamp(text: str, source: LogicalType) -> str:
    match source:
        case DateType():  # through the local timestamp, for both target types
            return f"CAST({text} AS TIMESTAMP_NTZ)"
        case TimeType():
            return f"make_timestamp_ntz(CAST({EPOCH} AS DATE), {text})"
        case _:
            return text


def _cast_map(
    text: str,
    source: tuple[LogicalType, LogicalType | None],
    target: tuple[LogicalType, LogicalType | None],
    lenient: bool,
    depth: int,
) -> str:
    key, value = f"__key{depth}", f"__value{depth}"
    new_key = to_spark_cast(key, source[0], target[0], lenient=lenient, depth=depth + 1)
    if new_key != key:
        text = f"transform_keys({text}, ({key}, {value}) -> {new_key})"
    if source[1] is not None and target[1] is not None:
        new_value = to_spark_cast(value, source[1], target[1], lenient=lenient, depth=depth + 1)
        if new_value != value:
            text = f"transform_values({text}, ({key}, {value}) -> {new_value})"
    return text


def _cast_row(row: str, source: RowType | StructuredType, target: RowType | StructuredType, lenient: bool, depth: int) -> str:
    if len(source.fields) != len(target.fields):
        raise TableException(f"Spark cannot run CAST from {source} to {target}: the numbers of fields differ.")
    fields = []
    for old, new in zip(source.fields, target.fields, strict=True):
        value = to_spark_cast(f"{row}.{quote_name(old.name)}", old.type, new.type, lenient=lenient, depth=depth + 1)
        fields += [quote_text(new.name), value]
    built = f"named_struct({', '.join(fields)})"
    return f"if({row} IS NULL, CAST(NULL AS {to_type_sql(target)}), {built})" if source.nullable else built
