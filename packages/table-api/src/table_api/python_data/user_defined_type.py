"""``UserDefinedType`` of ``pyflink.table.types``: a class of Python objects that are stored as values of a SQL type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn

from table_common.exceptions import ValidationException
from table_common.types import DataType


class UserDefinedType(ABC):
    """Says how objects of a class become values of a SQL type and back. An object names its type in the attribute ``__UDT__``.

    ``from_elements`` stores such objects as values of ``sql_type()``; ``deserialize`` makes objects of the values of results.

    Example:
        >>> class PointType(UserDefinedType):
        ...     @classmethod
        ...     def sql_type(cls):
        ...         return DataTypes.ARRAY(DataTypes.DOUBLE())
        ...     def serialize(self, obj):
        ...         return [obj.x, obj.y]
        ...     def deserialize(self, datum):
        ...         return Point(*datum)
        >>> class Point:
        ...     __UDT__ = PointType()
        ...     def __init__(self, x, y):
        ...         self.x, self.y = x, y
        >>> [row[0] for row in env.from_elements([(Point(1.0, 2.0),)], ["p"]).execute().collect()]
        [[1.0, 2.0]]

    Source: PyFlink's ``pyflink.table.types.UserDefinedType``.
    """

    @classmethod
    def type_name(cls) -> str:
        """Returns the name of the class in lower case, without ``type`` at its end."""
        return cls.__name__.lower().removesuffix("type") or cls.__name__.lower()

    @classmethod
    @abstractmethod
    def sql_type(cls) -> DataType:
        """Returns the SQL type of the stored values."""

    @abstractmethod
    def serialize(self, obj: Any) -> Any:
        """Returns the stored value of an object."""

    @abstractmethod
    def deserialize(self, datum: Any) -> Any:
        """Returns the object of a stored value."""

    @classmethod
    def module(cls) -> str:
        """Returns the module of the class."""
        return cls.__module__

    @classmethod
    def java_udt(cls) -> str:
        """Returns an empty text: there is no class of Java."""
        return ""

    def need_conversion(self) -> bool:
        """Returns True: objects and stored values differ."""
        return True

    def to_sql_type(self, obj: Any) -> Any:
        """Returns the stored value of an object; None stays None."""
        return None if obj is None else self.serialize(obj)

    def from_sql_type(self, obj: Any) -> Any:
        """Returns the object of a stored value; None stays None."""
        return None if obj is None else self.deserialize(obj)

    def nullable(self) -> DataType:
        """Returns the SQL type, with NULL."""
        return self.sql_type().nullable()

    def not_null(self) -> DataType:
        """Returns the SQL type, without NULL."""
        return self.sql_type().not_null()

    def bridged_to(self, conversion_cls: object) -> NoReturn:
        """Refuses: the class of the objects is that of the type.

        Raises:
            ValidationException: always.
        """
        raise ValidationException(
            f"{type(self).__name__} cannot be bridged to {conversion_cls}: its objects have one class.", hint="sql_type().bridged_to(…)"
        )


def serialized_cells(rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """Returns the rows with stored values in place of objects that name a ``UserDefinedType``; the rows themselves if there are none."""
    classes = {type(cell) for row in rows for cell in row}
    if not any(isinstance(getattr(class_, "__UDT__", None), UserDefinedType) for class_ in classes):
        return rows
    return [[cell.__UDT__.serialize(cell) if hasattr(type(cell), "__UDT__") else cell for cell in row] for row in rows]
