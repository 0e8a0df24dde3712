"""``GenericRowData``: a row that holds its values as Python objects, easy to make and to change."""

from __future__ import annotations

from typing import Any, Self

from table_common.annotation import override, public_evolving
from table_common.data.object_getters import INTERNAL_CLASSES, ObjectGetters, require_internal
from table_common.data.row_data import RowData
from table_common.data.row_kind import RowKind
from table_common.exceptions import ValidationException


@public_evolving
class GenericRowData(ObjectGetters, RowData):
    """A row of internal structures; every field may be NULL (None). Rows are equal if kind and values are.

    Source: Flink's ``org.apache.flink.table.data.GenericRowData``.

    Example:
        >>> from table_common.data import StringData
        >>> GenericRowData.of(1, StringData.from_string("a"), None)
        +I(1, StringData('a'), None)
    """

    __slots__ = ("_kind", "_values")

    _values: list[Any]
    _kind: RowKind

    def __init__(self, arity: int, kind: RowKind = RowKind.INSERT) -> None:
        """Makes a row of ``arity`` fields, all NULL.

        Raises:
            ValidationException: The number is negative.
        """
        if arity < 0:
            raise ValidationException(f"A row has 0 or more fields, but got {arity}.")
        self._values = [None] * arity
        self._kind = kind

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Returns a row of the internal structures given, of the kind INSERT.

        Raises:
            ValidationException: A value is not an internal structure, such as ``str`` instead of ``StringData``.
        """
        return cls.of_kind(RowKind.INSERT, *values)

    @classmethod
    def of_kind(cls, kind: RowKind, *values: Any) -> Self:
        """Returns a row of the kind and the internal structures given.

        Raises:
            ValidationException: A value is no internal structure.
        """
        if not INTERNAL_CLASSES.issuperset(map(type, values)):
            for position, value in enumerate(values):
                require_internal(value, f"Field {position} of a GenericRowData")
        return cls._of(list(values), kind)

    @classmethod
    def _of(cls, values: list[Any], kind: RowKind) -> Self:
        """Takes over a list that is known to hold internal structures."""
        result = object.__new__(cls)
        result._values = values
        result._kind = kind
        return result

    def set_field(self, position: int, value: Any) -> None:
        """Sets a field; ``value`` is an internal structure or None.

        Raises:
            ValidationException: It is none.
            TableRuntimeException: There is no such field.
        """
        require_internal(value, f"Field {position} of a GenericRowData")
        try:
            self._values[position] = value
        except IndexError:
            self._refuse_position(position)

    def get_field(self, position: int) -> Any:
        """Returns the internal structure of a field, None if it is NULL.

        Raises:
            TableRuntimeException: There is no such field.
        """
        try:
            return self._values[position]
        except IndexError:
            self._refuse_position(position)

    @property
    @override
    def arity(self) -> int:
        return len(self._values)

    @override
    def get_row_kind(self) -> RowKind:
        return self._kind

    @override
    def set_row_kind(self, kind: RowKind) -> None:
        self._kind = kind

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GenericRowData):
            return NotImplemented
        return self._kind is other._kind and self._values == other._values

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        return f"{self._kind.short_string}({', '.join(map(repr, self._values))})"

    def __reduce__(self) -> tuple[object, ...]:
        return GenericRowData._of, (self._values, self._kind)
