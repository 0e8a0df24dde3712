"""Names of ``pyflink.table.types``."""

from table_api.python_data.user_defined_type import UserDefinedType
from table_common.data import Row, RowKind
from table_common.types import DataType, DataTypes

__all__ = ["DataType", "DataTypes", "Row", "RowKind", "UserDefinedType"]
