"""Serializers of RAW types, which a program always passes explicitly."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, NoReturn, TypeVar

from table_common.annotation import override, public_evolving
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types.logical import RawType

T = TypeVar("T")


@public_evolving
class TypeSerializer(ABC, Generic[T]):
    """Serializes and deserializes objects of one class. Must be picklable, since it is sent to other processes.

    The serializer's text in ``RAW('class', 'serializer')`` only names it. No serializer is ever created from SQL text or from a
    catalog: a program passes the object.

    Source: Flink's ``org.apache.flink.api.common.typeutils.TypeSerializer``.

    Example:
        >>> class Numbers(TypeSerializer):
        ...     def serialize(self, value):
        ...         return str(value).encode()
        ...     def deserialize(self, data):
        ...         return int(data)
        >>> Numbers().deserialize(Numbers().serialize(7))
        7
    """

    @abstractmethod
    def serialize(self, value: T) -> bytes:
        """Returns the bytes of the object."""

    @abstractmethod
    def deserialize(self, data: bytes) -> T:
        """Returns the object of the bytes."""


@public_evolving
class PickleSerializer(TypeSerializer[T]):
    """Python's pickle, for objects of one class and for bytes of trusted origin only: reading a pickle can run any code.

    Example:
        >>> serializer = PickleSerializer(complex)
        >>> serializer.deserialize(serializer.serialize(2 + 3j))
        (2+3j)
    """

    __slots__ = ("_class",)

    def __init__(self, class_: type[T]) -> None:
        self._class = class_

    @override
    def serialize(self, value: T) -> bytes:
        """Returns the pickle.

        Raises:
            TableRuntimeException: The object is of another class, or cannot be pickled.
        """
        self._require_class(value)
        try:
            return pickle.dumps(value)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise TableRuntimeException(f"An object of the class {self._class.__qualname__} cannot be pickled: {error}") from error

    @override
    def deserialize(self, data: bytes) -> T:
        """Returns the object.

        Raises:
            TableRuntimeException: The bytes are not a pickle, or one of another class.
        """
        try:
            value: T = pickle.loads(data)
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, ValueError) as error:
            raise TableRuntimeException(f"The bytes are not a pickle of the class {self._class.__qualname__}: {error}") from error
        self._require_class(value)
        return value

    def _require_class(self, value: object) -> None:
        if not isinstance(value, self._class):
            raise TableRuntimeException(f"The serializer is for the class {self._class.__qualname__}, but got {type(value).__qualname__}.")

    def __eq__(self, other: object) -> bool:
        return self._class is other._class if isinstance(other, PickleSerializer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._class)

    def __repr__(self) -> str:
        return f"PickleSerializer({self._class.__qualname__})"


class _NoSerializer(TypeSerializer[Any]):
    """The placeholder for a missing serializer, which raises an error with a hint when it is used."""

    def __init__(self, type_: RawType) -> None:
        self._type = type_

    @override
    def serialize(self, value: object) -> bytes:
        self._refuse("written as bytes")

    @override
    def deserialize(self, data: bytes) -> object:
        self._refuse("read from bytes")

    def _refuse(self, what: str) -> NoReturn:
        raise ValidationException(
            f"A value of {self._type} cannot be {what}: no serializer is known for the class '{self._type.class_name}'.",
            hint=f"Pass one: serializers={{{self._type.class_name!r}: …}}. "
            "None is ever made from SQL text or from a catalog, since that could run any code.",
        )


def serializer_for(type_: RawType, serializers: Mapping[str, TypeSerializer[Any]] | None) -> TypeSerializer[Any]:
    """Returns the program's serializer for the type's class, or a placeholder that raises when it is used."""
    found = (serializers or {}).get(type_.class_name)
    return found if found is not None else _NoSerializer(type_)
