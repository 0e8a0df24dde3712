"""Types: logical (SQL), data types (with a Python class), the DSL, text, casts."""

from table_common.types.data_type import DataType
from table_common.types.data_types import AnyType, DataTypes, IntervalResolution
from table_common.types.logical import *  # noqa: F403
from table_common.types.logical import __all__ as _logical
from table_common.types.parser import parse_logical_type
from table_common.types.period import Period

__all__ = ["AnyType", "DataType", "DataTypes", "IntervalResolution", "Period", "parse_logical_type", *_logical]
