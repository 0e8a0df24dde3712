"""Types: logical (SQL), data types (with a Python class), the DSL, text, casts."""

from table_common.types.casts import supports_avoiding_cast, supports_explicit_cast, supports_implicit_cast
from table_common.types.conversion import (
    Conversions,
    conversions_of,
    default_conversion,
    supports_input_conversion,
    supports_output_conversion,
)
from table_common.types.data_type import DataType
from table_common.types.data_types import AnyType, DataTypes, IntervalResolution
from table_common.types.logical import *  # noqa: F403
from table_common.types.logical import __all__ as _logical
from table_common.types.merging import (
    decimal_average_type,
    decimal_division_type,
    decimal_modulo_type,
    decimal_multiplication_type,
    decimal_plus_type,
    decimal_rounding_type,
    decimal_sum_type,
    find_common_type,
    to_decimal_type,
)
from table_common.types.parser import parse_logical_type
from table_common.types.period import Period

__all__ = [
    "AnyType",
    "Conversions",
    "DataType",
    "DataTypes",
    "IntervalResolution",
    "Period",
    "conversions_of",
    "decimal_average_type",
    "decimal_division_type",
    "decimal_modulo_type",
    "decimal_multiplication_type",
    "decimal_plus_type",
    "decimal_rounding_type",
    "decimal_sum_type",
    "default_conversion",
    "find_common_type",
    "parse_logical_type",
    "supports_avoiding_cast",
    "supports_explicit_cast",
    "supports_implicit_cast",
    "supports_input_conversion",
    "supports_output_conversion",
    "to_decimal_type",
    *_logical,
]
