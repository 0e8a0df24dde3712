"""Formats values as text (CAST … AS STRING) in Spark SQL, as Flink does."""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.functions import MAX_VALUE_SIZE
from table_common.types import (
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DistinctType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VariantType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.names import bind
from table_planner_spark.expressions.temporal_encoding import micros_of_interval, nanos_to_native, to_native_timestamp
from table_planner_spark.quoting import quote_name

_LAMBDA = "__item"


def to_text(text: str, type_: LogicalType, depth: int = 0) -> str:
    """Returns the text of a value. NULL stays NULL; inside collections and rows it becomes the word NULL."""
    match type_:
        case CharacterType():
            return text
        case BooleanType():
            return f"upper(CAST({text} AS STRING))"
        case DateType():
            return _without_plus(f"CAST({text} AS STRING)")
        case TimestampType() | LocalZonedTimestampType():
            return _timestamp(text, type_)
        case TimeType():
            return _time(text, type_)
        case YearMonthIntervalType():
            return bind(f"CAST(CAST({text} AS INTERVAL MONTH) AS INT)", _months)
        case DayTimeIntervalType():
            return bind(micros_of_interval(text), _micros)
        case ArrayType():
            item = f"{_LAMBDA}{depth}"
            element = _or_null(to_text(item, type_.element_type, depth + 1))
            return f"concat('[', array_join(transform({text}, {item} -> {element}), ', '), ']')"
        case MapType() | MultisetType():
            return _map(text, type_, depth)
        case RowType() | StructuredType():
            return bind(text, lambda row: _row(row, type_, depth))
        case VariantType():
            return f"to_json({text})"
        case DistinctType():
            return to_text(text, type_.source_type, depth)
        case BinaryStringType():  # invalid UTF-8 becomes U+FFFD
            return f"make_valid_utf8(CAST({text} AS STRING))"
        case _:
            return f"CAST({text} AS STRING)"


def fit_length(text: str, source: LogicalType, target: CharacterType) -> str:
    """Returns the text truncated to the target's length; for CHAR it is also padded with spaces."""
    if isinstance(target, CharType):
        if isinstance(source, CharType) and source.length == target.length:
            return text
        return padded_to(text, target.length, "' '")
    if isinstance(source, CharacterType) and source.length <= target.length:
        return text
    return text if target.summary() == "STRING" else f"substring({text}, 1, {target.length})"


def _or_null(text: str) -> str:
    return f"coalesce({text}, 'NULL')"


def _timestamp(text: str, type_: TimestampType | LocalZonedTimestampType) -> str:
    def seconds(value: str) -> str:
        native = to_native_timestamp(value, type_)
        local = f"CAST({native} AS TIMESTAMP_NTZ)" if isinstance(type_, LocalZonedTimestampType) else native
        return _without_plus(f"CAST({local} AS STRING)")

    precision = type_.precision
    if has_nanosecond_encoding(type_):
        digits = f"substring(lpad(CAST(pmod({{0}}, 1000000000L) AS STRING), 9, '0'), 1, {precision})"
        return bind(text, lambda x: f"concat(substring({seconds(x)}, 1, 19), '.', {digits.format(x)})")
    if precision == 0:
        return seconds(text)
    # Spark omits trailing zeros, Flink writes as many digits as the type has. Years from 10000 on have more than four digits.
    return bind(seconds(text), lambda s: f"concat(substring_index({s}, '.', 1), '.', rpad({_fraction(s)}, {precision}, '0'))")


def _time(text: str, type_: TimeType) -> str:
    """Returns the text of a time. Trailing zeros of the fraction are omitted, except the first digit if the type has any."""
    if not has_nanosecond_encoding(type_):
        shown = f"CAST({text} AS STRING)"
        return f"regexp_replace({shown}, '^([^.]+)$', '$1.0')" if type_.precision else shown

    def fine(nanos: str) -> str:
        digits = f"nullif(rtrim('0', lpad(CAST({nanos} % 1000000000L AS STRING), 9, '0')), '')"
        clock = f"substring(CAST({nanos_to_native(nanos, TimestampType(9))} AS STRING), 12, 8)"
        return f"concat({clock}, '.', coalesce({digits}, '0'))"

    return bind(text, fine)


def _fraction(text: str) -> str:
    return f"substring({text}, length(substring_index({text}, '.', 1)) + 2)"


def _without_plus(text: str) -> str:
    """Returns the text of a date without the sign that Spark adds to years from 10000 on."""
    return f"trim(LEADING '+' FROM {text})"


def _months(months: str) -> str:
    return f"concat(if({months} < 0, '-', '+'), abs({months}) div 12, '-', lpad(CAST(abs({months}) % 12 AS STRING), 2, '0'))"


def _micros(micros: str) -> str:
    def part(unit: int, modulus: int, width: int) -> str:
        return f"lpad(CAST(abs({micros}) div {unit} % {modulus} AS STRING), {width}, '0')"

    hours, minutes = part(3_600_000_000, 24, 2), part(60_000_000, 60, 2)
    seconds, millis = part(1_000_000, 60, 2), part(1_000, 1_000, 3)
    days = f"abs({micros}) div 86400000000"
    return f"concat(if({micros} < 0, '-', '+'), {days}, ' ', {hours}, ':', {minutes}, ':', {seconds}, '.', {millis})"


def _map(text: str, type_: MapType | MultisetType, depth: int) -> str:
    item = f"{_LAMBDA}{depth}"
    key_type = type_.key_type if isinstance(type_, MapType) else type_.element_type
    key = _or_null(to_text(f"{item}.key", key_type, depth + 1))
    if isinstance(type_, MapType):
        value = _or_null(to_text(f"{item}.value", type_.value_type, depth + 1))
    else:
        value = f"CAST({item}.value AS STRING)"
    return f"concat('{{', array_join(transform(map_entries({text}), {item} -> concat({key}, '=', {value})), ', '), '}}')"


def _row(row: str, type_: RowType | StructuredType, depth: int) -> str:
    fields = [_or_null(to_text(f"{row}.{quote_name(field.name)}", field.type, depth + 1)) for field in type_.fields]
    if isinstance(type_, StructuredType):
        fields = [f"concat('{field.name}=', {text})" for field, text in zip(type_.fields, fields, strict=True)]
    return f"if({row} IS NULL, NULL, concat('(', concat_ws(', ', {', '.join(fields) or repr('')}), ')'))"


def padded_to(text: str, length: int, filling: str) -> str:
    """Returns text or bytes padded or truncated to a length, or an error if the length exceeds the size limit of a value."""
    if length > MAX_VALUE_SIZE:
        error = f"raise_error('CAST would create a value of {length:,} characters, but a value may have {MAX_VALUE_SIZE:,}.')"
        return f"if({text} IS NULL, NULL, {error})"
    return f"rpad({text}, {length}, {filling})"
