"""Values as JSON text, as JSON_STRING, JSON_OBJECT and JSON_ARRAY write them."""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.types import (
    EXACT_INTEGERS,
    ArrayType,
    BinaryStringType,
    BooleanType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VariantType,
)
from table_planner_spark.expressions.names import base64_text, bind, quote_text
from table_planner_spark.expressions.temporal_encoding import EPOCH
from table_planner_spark.expressions.text_format import to_text
from table_planner_spark.quoting import quote_name


def json_quoted(text: str) -> str:
    """Returns a string with quotes around it and escapes inside; NULL stays NULL."""
    # Spark escapes only within a whole document, so the string is cut out of {"v":…}.
    # The length depends on NULL instead of a branch, because Spark would compute the document again in a branch.
    return bind(f"to_json(named_struct('v', {text}))", lambda j: f"substring({j}, 6, length({j}) - 6 + if({text} IS NULL, NULL, 0))")


def to_json_text(text: str, type_: LogicalType, depth: int = 0) -> str:
    """Returns the JSON text of a value. NULL stays NULL; inside collections and rows it becomes ``null``."""
    item = f"__json{depth}"
    match type_:
        case FloatType() | DoubleType():
            return _float_text(f"CAST(CAST({text} AS DOUBLE) AS STRING)")
        case BooleanType() | DecimalType():
            return f"CAST({text} AS STRING)"
        case _ if isinstance(type_, EXACT_INTEGERS):
            return f"CAST({text} AS STRING)"
        case VariantType():
            return f"to_json({text})"
        case BinaryStringType():
            return json_quoted(base64_text(text))
        case LocalZonedTimestampType():
            # The local time in UTC, for which both types have the same number.
            native = f"({EPOCH} + unix_micros({text}) * INTERVAL '0.000001' SECOND)"
            return _timestamp(text if has_nanosecond_encoding(type_) else native, TimestampType(type_.precision), "Z")
        case TimestampType():
            return _timestamp(text, type_, "")
        case TimeType():
            return json_quoted(f"regexp_replace({to_text(text, type_)}, '[.]0$', '')")
        case ArrayType():
            element = _or_null(to_json_text(item, type_.element_type, depth + 1))
            return f"concat('[', array_join(transform({text}, {item} -> {element}), ','), ']')"
        case MapType() | MultisetType():
            key_type = type_.key_type if isinstance(type_, MapType) else type_.element_type
            key = json_quoted(to_text(f"{item}.key", key_type))
            value = (
                _or_null(to_json_text(f"{item}.value", type_.value_type, depth + 1))
                if isinstance(type_, MapType)
                else f"CAST({item}.value AS STRING)"
            )
            return f"concat('{{', array_join(transform(map_entries({text}), {item} -> concat({key}, ':', {value})), ','), '}}')"
        case RowType() | StructuredType():

            def build(row: str) -> str:
                cells = [
                    f"concat({json_quoted(quote_text(f.name))}, ':', {_or_null(to_json_text(f'{row}.{quote_name(f.name)}', f.type, depth + 1))})"
                    for f in type_.fields
                ]
                return f"if({row} IS NULL, NULL, concat('{{', concat_ws(',', {', '.join(cells)}), '}}'))"

            return bind(text, build)
        case _:
            return json_quoted(to_text(text, type_))


def _timestamp(text: str, type_: TimestampType, suffix: str) -> str:
    shown = f"regexp_replace({to_text(text, type_)}, '[.]0+$|([.][0-9]*[1-9])0+$', '$1')"
    return json_quoted(f"concat(replace({shown}, ' ', 'T'), '{suffix}')")


def _float_text(text: str) -> str:
    """Returns a DOUBLE as Flink writes it in JSON: ``1.0E+30`` for ``1.0E30``, ``0.00010`` for ``1.0E-4``; NaN and infinities as strings."""

    def changed(x: str) -> str:
        result = f"regexp_replace({x}, 'E([0-9])', 'E+$1')"
        for exponent in (4, 5, 6):
            zeros = "0" * (exponent - 1)
            result = f"regexp_replace({result}, '^(-?)([0-9])[.]([0-9]+)E-{exponent}$', '$10.{zeros}$2$3')"
        # An exponent that only moves the decimal point within the digits is omitted.
        digits, moved = f"regexp_extract({x}, '[.]([0-9]+)E', 1)", f"CAST(regexp_extract({x}, 'E([0-9]+)$', 1) AS INT)"
        plain = f"concat(regexp_extract({x}, '^-?[0-9]', 0), regexp_replace({digits}, concat('^([0-9]{{', {moved}, '}})(?=.)'), '$1.'))"
        result = f"if({x} RLIKE 'E[0-9]+$' AND length({digits}) >= {moved}, {plain}, {result})"
        return f"if({x} LIKE '%N%' OR {x} LIKE '%y', {json_quoted(x)}, if({x} LIKE '%E%', {result}, {x}))"

    return bind(text, changed)


def _or_null(text: str) -> str:
    return f"coalesce({text}, 'null')"
