"""``RawValueData``: an opaque value that only user code understands, as an object or as its serialized bytes."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from table_common.annotation import public_evolving
from table_common.data.serializer import TypeSerializer
from table_common.exceptions import TableRuntimeException

T = TypeVar("T")
_ABSENT: Any = object()


@public_evolving
class RawValueData(Generic[T]):
    """A value of a RAW type, serialized and deserialized lazily.

    Two values made from objects are equal if the objects are, two made from bytes if the bytes are; a value of each kind never are. A value made from
    an object can be pickled only after ``to_bytes`` was called: the object itself is never pickled implicitly.

    Source: Flink's ``org.apache.flink.table.data.RawValueData``.

    Example:
        >>> from table_common.data import PickleSerializer
        >>> value = RawValueData.from_object(2 + 3j)
        >>> RawValueData.from_bytes(value.to_bytes(PickleSerializer(complex))).to_object(PickleSerializer(complex))
        (2+3j)
    """

    __slots__ = ("_bytes", "_is_object", "_object")

    _bytes: bytes | None
    _object: Any
    _is_object: bool

    def __init__(self) -> None:
        """Refuses the call; the class methods ``from_…`` make values.

        Raises:
            TypeError: always.
        """
        raise TypeError("RawValueData is made with RawValueData.from_object(...) or RawValueData.from_bytes(...).")

    @classmethod
    def _of(cls, value: Any, data: bytes | None, is_object: bool) -> RawValueData[T]:
        result: RawValueData[T] = object.__new__(cls)
        result._object = value
        result._bytes = data
        result._is_object = is_object
        return result

    @classmethod
    def from_object(cls, value: T) -> RawValueData[T]:
        """Returns the value of an object."""
        return cls._of(value, None, True)

    @classmethod
    def from_bytes(cls, data: bytes) -> RawValueData[T]:
        """Returns the value of an object's bytes."""
        return cls._of(_ABSENT, bytes(data), False)

    def to_object(self, serializer: TypeSerializer[T]) -> T:
        """Returns the object, deserialized with ``serializer`` at the first call if there are only bytes."""
        if self._object is _ABSENT:
            assert self._bytes is not None
            self._object = serializer.deserialize(self._bytes)
        result: T = self._object
        return result

    def to_bytes(self, serializer: TypeSerializer[T]) -> bytes:
        """Returns the bytes, made with ``serializer`` if only the object is there."""
        if self._bytes is None:
            self._bytes = serializer.serialize(self._object)
        return self._bytes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RawValueData):
            return NotImplemented
        if self._is_object is not other._is_object:
            return False
        return bool(self._object == other._object) if self._is_object else self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._object) if self._is_object else hash(self._bytes)

    def __repr__(self) -> str:
        what = f"object of {type(self._object).__qualname__}" if self._bytes is None else f"{len(self._bytes)} bytes"
        return f"RawValueData({what})"

    def __reduce__(self) -> tuple[object, ...]:
        if self._bytes is None:
            raise TableRuntimeException(
                f"A raw value made from an object ({type(self._object).__qualname__}) was not serialized, so it cannot travel.",
                hint="Call to_bytes(serializer) first; objects are not pickled unless the serializer chosen does so.",
            )
        return RawValueData.from_bytes, (self._bytes,)
