"""``Types`` of ``pyflink.common``: PyFlink's types of data streams, as SQL types."""

# ruff: noqa: N802  (the methods carry PyFlink's names)

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from table_common.exceptions import ValidationException
from table_common.types import DataType, DataTypes

TypeInformation = DataType
"""The type of the elements of a data stream; here it is a SQL type."""


class Types:
    """Makes the types of data streams: each is the SQL type that Flink gives a column of it.

    Example:
        >>> str(Types.ROW_NAMED(["id", "tags"], [Types.LONG(), Types.LIST(Types.STRING())]))
        'ROW<`id` BIGINT, `tags` ARRAY<STRING>>'

    Source: PyFlink's ``pyflink.common.Types``.
    """

    @staticmethod
    def STRING() -> DataType:
        """Returns text of any length."""
        return DataTypes.STRING()

    @staticmethod
    def BOOLEAN() -> DataType:
        """Returns truth values."""
        return DataTypes.BOOLEAN()

    @staticmethod
    def BYTE() -> DataType:
        """Returns integers of 8 bits."""
        return DataTypes.TINYINT()

    @staticmethod
    def SHORT() -> DataType:
        """Returns integers of 16 bits."""
        return DataTypes.SMALLINT()

    @staticmethod
    def INT() -> DataType:
        """Returns integers of 32 bits."""
        return DataTypes.INT()

    @staticmethod
    def LONG() -> DataType:
        """Returns integers of 64 bits."""
        return DataTypes.BIGINT()

    @staticmethod
    def FLOAT() -> DataType:
        """Returns floating-point numbers of 32 bits."""
        return DataTypes.FLOAT()

    @staticmethod
    def DOUBLE() -> DataType:
        """Returns floating-point numbers of 64 bits."""
        return DataTypes.DOUBLE()

    @staticmethod
    def CHAR() -> DataType:
        """Returns text of one character."""
        return DataTypes.CHAR(1)

    @staticmethod
    def BIG_INT() -> DataType:
        """Returns integers of up to 38 digits."""
        return DataTypes.DECIMAL(38, 0)

    @staticmethod
    def BIG_DEC() -> DataType:
        """Returns decimals with 18 digits after the point, as ``from_elements`` infers them."""
        return DataTypes.DECIMAL(38, 18)

    @staticmethod
    def INSTANT() -> DataType:
        """Returns moments in UTC."""
        return DataTypes.TIMESTAMP_LTZ(9)

    @staticmethod
    def SQL_DATE() -> DataType:
        """Returns dates."""
        return DataTypes.DATE()

    @staticmethod
    def SQL_TIME() -> DataType:
        """Returns times of the day."""
        return DataTypes.TIME(0)

    @staticmethod
    def SQL_TIMESTAMP() -> DataType:
        """Returns dates with times of the day."""
        return DataTypes.TIMESTAMP(9)

    @staticmethod
    def PICKLED_BYTE_ARRAY() -> NoReturn:
        """Refuses: values without a SQL type are no columns.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise ValidationException(
            "Types.PICKLED_BYTE_ARRAY has no SQL type.",
            hint="Declare the columns: Types.ROW_NAMED([…], […]), or pickle to DataTypes.BYTES().",
        )

    @staticmethod
    def ROW(field_types: Sequence[DataType]) -> DataType:
        """Returns rows with the fields ``f0``, ``f1``, …"""
        return DataTypes.ROW([DataTypes.FIELD(f"f{i}", field_type) for i, field_type in enumerate(field_types)])

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[DataType]) -> DataType:
        """Returns rows of named fields.

        Raises:
            ValidationException: there are not as many names as types.
        """
        if len(field_names) != len(field_types):
            raise ValidationException(f"Types.ROW_NAMED has {len(field_names)} names, but {len(field_types)} types.")
        return DataTypes.ROW([DataTypes.FIELD(name, type_) for name, type_ in zip(field_names, field_types, strict=True)])

    @staticmethod
    def TUPLE(field_types: Sequence[DataType]) -> DataType:
        """Returns rows with the fields ``f0``, ``f1``, …"""
        return Types.ROW(field_types)

    @staticmethod
    def PRIMITIVE_ARRAY(element_type: DataType) -> DataType:
        """Returns arrays without NULLs; of bytes, a binary string."""
        return DataTypes.BYTES() if element_type == Types.BYTE() else DataTypes.ARRAY(element_type.not_null())

    @staticmethod
    def BASIC_ARRAY(element_type: DataType) -> DataType:
        """Returns arrays."""
        return DataTypes.ARRAY(element_type)

    @staticmethod
    def OBJECT_ARRAY(element_type: DataType) -> DataType:
        """Returns arrays."""
        return DataTypes.ARRAY(element_type)

    @staticmethod
    def MAP(key_type_info: DataType, value_type_info: DataType) -> DataType:
        """Returns maps."""
        return DataTypes.MAP(key_type_info, value_type_info)

    @staticmethod
    def LIST(element_type_info: DataType) -> DataType:
        """Returns arrays."""
        return DataTypes.ARRAY(element_type_info)
