"""Types: logical (SQL), data types (with a Python class), the DSL, text, casts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports
from table_common.types.instant import Instant
from table_common.types.logical import *  # noqa: F403
from table_common.types.logical import __all__ as _logical

if TYPE_CHECKING:
    from table_common.types.casts import holds_integers_of, supports_avoiding_cast, supports_explicit_cast, supports_implicit_cast
    from table_common.types.conversion import (
        Conversions,
        conversions_of,
        default_conversion,
        supports_input_conversion,
        supports_output_conversion,
    )
    from table_common.types.data_type import DataType
    from table_common.types.data_types import AnyType, DataTypes, IntervalResolution
    from table_common.types.grammar import TYPE_NAMES, TypeTokenStream, read_type, suggest_type_names
    from table_common.types.injective_casts import is_injective_cast
    from table_common.types.lengths import LengthLimit, length_limits, without_lengths
    from table_common.types.merging import (
        decimal_average_type,
        decimal_division_type,
        decimal_modulo_type,
        decimal_multiplication_type,
        decimal_plus_type,
        decimal_rounding_type,
        decimal_sum_type,
        exceed_decimal_digits,
        find_common_type,
        to_decimal_type,
    )
    from table_common.types.nested import has_more_parts, is_deeper, types_in
    from table_common.types.parser import parse_logical_type
    from table_common.types.period import Period
    from table_common.types.required_parts import RequiredPart, required_parts, without_required_parts
    from table_common.types.time_attributes import (
        at_least_milliseconds,
        is_proctime,
        is_rowtime,
        is_time_attribute,
        plain_timestamp,
        timestamp_kind,
    )
    from table_common.types.type_names import find_named_type, named_types

__all__ = [
    "AnyType",
    "Conversions",
    "DataType",
    "DataTypes",
    "Instant",
    "IntervalResolution",
    "LengthLimit",
    "Period",
    "TYPE_NAMES",
    "TypeTokenStream",
    "at_least_milliseconds",
    "conversions_of",
    "decimal_average_type",
    "decimal_division_type",
    "decimal_modulo_type",
    "decimal_multiplication_type",
    "decimal_plus_type",
    "decimal_rounding_type",
    "decimal_sum_type",
    "exceed_decimal_digits",
    "default_conversion",
    "find_common_type",
    "find_named_type",
    "named_types",
    "parse_logical_type",
    "read_type",
    "suggest_type_names",
    "holds_integers_of",
    "supports_avoiding_cast",
    "supports_explicit_cast",
    "supports_implicit_cast",
    "supports_input_conversion",
    "supports_output_conversion",
    "to_decimal_type",
    "has_more_parts",
    "is_deeper",
    "length_limits",
    "types_in",
    *_logical,
    "is_injective_cast",
    "is_proctime",
    "is_rowtime",
    "is_time_attribute",
    "plain_timestamp",
    "timestamp_kind",
    "RequiredPart",
    "required_parts",
    "without_lengths",
    "without_required_parts",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.types.casts": ("holds_integers_of", "supports_avoiding_cast", "supports_explicit_cast", "supports_implicit_cast"),
        "table_common.types.conversion": (
            "Conversions",
            "conversions_of",
            "default_conversion",
            "supports_input_conversion",
            "supports_output_conversion",
        ),
        "table_common.types.data_type": ("DataType",),
        "table_common.types.data_types": ("AnyType", "DataTypes", "IntervalResolution"),
        "table_common.types.grammar": ("TYPE_NAMES", "TypeTokenStream", "read_type", "suggest_type_names"),
        "table_common.types.injective_casts": ("is_injective_cast",),
        "table_common.types.lengths": ("LengthLimit", "length_limits", "without_lengths"),
        "table_common.types.required_parts": ("RequiredPart", "required_parts", "without_required_parts"),
        "table_common.types.merging": (
            "decimal_average_type",
            "decimal_division_type",
            "decimal_modulo_type",
            "decimal_multiplication_type",
            "decimal_plus_type",
            "decimal_rounding_type",
            "decimal_sum_type",
            "exceed_decimal_digits",
            "find_common_type",
            "to_decimal_type",
        ),
        "table_common.types.parser": ("parse_logical_type",),
        "table_common.types.period": ("Period",),
        "table_common.types.nested": ("has_more_parts", "is_deeper", "types_in"),
        "table_common.types.time_attributes": (
            "at_least_milliseconds",
            "is_proctime",
            "is_rowtime",
            "is_time_attribute",
            "plain_timestamp",
            "timestamp_kind",
        ),
        "table_common.types.type_names": ("find_named_type", "named_types"),
    },
)
