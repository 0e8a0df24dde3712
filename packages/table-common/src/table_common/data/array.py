"""``GenericArrayData``: an array that holds its elements as Python objects, or as numbers without objects."""

from __future__ import annotations

import array as arrays
from collections.abc import Callable, Sequence
from typing import Any

from table_common.annotation import override, public_evolving
from table_common.data.object_getters import ObjectGetters, require_internal
from table_common.data.row_data import ArrayData
from table_common.exceptions import TableRuntimeException, ValidationException

_CANONICAL_FORMATS = {"b": "b", "B": "b", "h": "h", "i": "i", "l": "q" if arrays.array("l").itemsize == 8 else "i", "q": "q"}
_FORMATS = {**_CANONICAL_FORMATS, "f": "f", "d": "d", "?": "?"}
"""Formats of the buffer protocol → ours: b, h, i, q are integers of 8 to 64 bits, f and d floats, ? truth values."""


@public_evolving
class GenericArrayData(ObjectGetters, ArrayData):
    """Elements of internal structures, or of a primitive type.

    A primitive array is an object with the buffer protocol and one dimension of numbers or booleans: ``array.array``, a numpy array, ``bytes``
    (as 8-bit integers), ``memoryview``. Its memory is shared, not copied, and no element is NULL. Arrays are equal if their elements are,
    primitive or not.

    Source: Flink's ``org.apache.flink.table.data.GenericArrayData``.

    Example:
        >>> GenericArrayData([1, None]).is_null_at(1)
        True
    """

    __slots__ = ("_format", "_values")

    _values: Sequence[Any]
    _format: str | None

    def __init__(self, elements: Any) -> None:
        """Makes an array of a list or tuple of internal structures (None is NULL), or of a primitive array.

        Raises:
            ValidationException: An element is no internal structure, or the array has other elements or more than one dimension.
        """
        if isinstance(elements, (list, tuple)):
            for position, element in enumerate(elements):
                require_internal(element, f"Element {position} of a GenericArrayData")
            self._values = list(elements)
            self._format = None
            return
        try:
            view = memoryview(elements)
        except TypeError:
            raise ValidationException(
                f"A GenericArrayData takes a list, a tuple or a primitive array, but got an object of class {type(elements).__name__}."
            ) from None
        self._take_view(view)

    def _take_view(self, view: memoryview[Any]) -> None:
        format_ = _FORMATS.get(view.format.lstrip("@="))
        if view.ndim != 1 or format_ is None:
            raise ValidationException(
                f"A primitive array has one dimension of signed integers, floats or truth values, but got {view.ndim} of the "
                f"format '{view.format}'."
            )
        if view.format != format_:
            view = view.cast("B").cast(format_)  # type: ignore[call-overload]  # a format of the dict above
        self._values = view
        self._format = format_

    @classmethod
    def _of(cls, values: list[Any]) -> GenericArrayData:
        """Takes over a list that is known to hold internal structures."""
        result = object.__new__(cls)
        result._values = values
        result._format = None
        return result

    @classmethod
    def _restore(cls, format_: str, data: bytes) -> GenericArrayData:
        result = object.__new__(cls)
        result._values = memoryview(data).cast(format_)  # type: ignore[call-overload]  # one of our formats
        result._format = format_
        return result

    @override
    def size(self) -> int:
        return len(self._values)

    def is_primitive_array(self) -> bool:
        """Returns whether the array is primitive, so that no element is NULL."""
        return self._format is not None

    def primitive_view(self) -> memoryview[Any]:
        """Returns the memory of a primitive array.

        Raises:
            TableRuntimeException: The array is not primitive.
        """
        if not isinstance(self._values, memoryview):
            raise TableRuntimeException("The array holds objects, so it has no memory of numbers.")
        return self._values

    def to_object_array(self) -> list[Any]:
        """Returns the elements as a list of internal structures, None for NULL."""
        return list(self._values)

    @override
    def _primitives(self, type_code: str, get: Callable[[int], Any]) -> arrays.array[Any]:
        if self._format == type_code:
            result = arrays.array(type_code)
            result.frombytes(self.primitive_view().cast("B"))
            return result
        return super()._primitives(type_code, get)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GenericArrayData):
            return NotImplemented
        return len(self._values) == len(other._values) and list(self._values) == list(other._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        return f"GenericArrayData({list(self._values)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        if self._format is not None:
            return GenericArrayData._restore, (self._format, bytes(self.primitive_view()))
        return GenericArrayData._of, (self._values,)
