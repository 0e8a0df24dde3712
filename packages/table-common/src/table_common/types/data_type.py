"""A SQL type with its conversion class: the Python class of its values in a program."""

from __future__ import annotations

from typing import Any, Self

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace
from table_common.types.conversion import class_name_of, conversions_of, supports_input_conversion, supports_output_conversion
from table_common.types.logical import LogicalType, RowField, RowType, StructuredType


@dataclass(frozen=True, slots=True)
class DataType:
    """A logical type and its conversion class (``bridged_to``); ``None`` means the type's default class.

    Source: Flink's ``org.apache.flink.table.types.DataType``.

    Example:
        >>> from table_common.types import DataTypes
        >>> str(DataTypes.INT().not_null())
        'INT NOT NULL'
    """

    logical_type: LogicalType
    conversion_class: type[Any] | None = None

    def not_null(self) -> Self:
        """Returns the data type that holds no NULL."""
        return replace(self, logical_type=self.logical_type.not_null())

    def nullable(self) -> Self:
        """Returns the data type that may hold NULL."""
        return replace(self, logical_type=self.logical_type.with_nullability(True))

    def bridged_to(self, conversion_class: type[Any]) -> Self:
        """Returns the data type with values of another Python class.

        Raises:
            ValidationException: Values of the type cannot be converted from or to the class.
        """
        type_ = self.logical_type
        if not (supports_input_conversion(type_, conversion_class) or supports_output_conversion(type_, conversion_class)):
            accepted = ", ".join(sorted(name.removeprefix("builtins.") for name in conversions_of(type_).inputs))
            raise ValidationException(
                f"Values of {type_} cannot be converted from or to the class '{class_name_of(conversion_class)}'. Accepted: {accepted}.",
                hint="Classes of rows need every field of the type, by name." if isinstance(type_, (RowType, StructuredType)) else None,
            )
        return replace(self, conversion_class=conversion_class)

    @property
    def names(self) -> list[str]:
        """The names of the fields of a ROW.

        Raises:
            ValidationException: it is another type.
        """
        return list(self._row_type().field_names)

    def add(self, field: RowField | str, data_type: DataType | LogicalType | None = None) -> Self:
        """Returns the ROW with one more field: a field of ``DataTypes.FIELD``, or a name and a type.

        Raises:
            ValidationException: it is another type, or the type of the field is missing.
        """
        # Differs from Flink: PyFlink's ``RowType.add`` changes the type itself, too. Here it returns a new one.
        if isinstance(field, str):
            if data_type is None:
                raise ValidationException(f"The field '{field}' needs a type.", hint="add('a', DataTypes.INT())")
            field = RowField(field, data_type.logical_type if isinstance(data_type, DataType) else data_type)
        row = self._row_type()
        return replace(self, logical_type=replace(row, fields=(*row.fields, field)))

    def _row_type(self) -> RowType:
        if not isinstance(self.logical_type, RowType):
            raise ValidationException(f"{self.logical_type} has no fields: it is not a ROW.")
        return self.logical_type

    def __str__(self) -> str:
        return str(self.logical_type)

    def __repr__(self) -> str:
        text = self.logical_type.python_text()
        return text if self.conversion_class is None else f"{text}.bridged_to({class_name_of(self.conversion_class)})"
