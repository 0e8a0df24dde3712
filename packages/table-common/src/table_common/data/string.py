"""``StringData``: the internal structure of text: UTF-8 bytes, compared byte by byte."""

from __future__ import annotations

from functools import total_ordering

from table_common.annotation import public_evolving
from table_common.exceptions import ValidationException


@public_evolving
@total_ordering
class StringData:
    """Immutable text of CHAR, VARCHAR and STRING.

    The order is that of the UTF-8 bytes, which is the order of code points; it differs from the order of UTF-16 units where emoji and other
    characters beyond U+FFFF take part.

    Source: Flink's ``org.apache.flink.table.data.StringData``.

    Example:
        >>> StringData.from_string("größe").to_bytes()
        b'gr\\xc3\\xb6\\xc3\\x9fe'
    """

    __slots__ = ("_bytes",)

    _bytes: bytes

    def __init__(self) -> None:
        """Refuses the call; the class methods ``from_…`` make values.

        Raises:
            TypeError: always.
        """
        raise TypeError("StringData is made with StringData.from_string(...) or StringData.from_bytes(...).")

    @classmethod
    def _of(cls, utf8: bytes) -> StringData:
        """Wraps bytes that are known to be UTF-8."""
        result = object.__new__(cls)
        result._bytes = utf8
        return result

    @classmethod
    def from_string(cls, text: str) -> StringData:
        """Returns the text.

        Raises:
            ValidationException: The text has half of a surrogate pair, which is not a character.
        """
        try:
            return cls._of(text.encode())
        except UnicodeEncodeError as error:
            raise ValidationException(
                f"The text {text[:40]!r} has half of a surrogate pair at position {error.start}, which is not a character."
            ) from None

    @classmethod
    def from_bytes(cls, utf8: bytes | bytearray | memoryview, offset: int = 0, num_bytes: int | None = None) -> StringData:
        """Returns the text of ``num_bytes`` bytes from ``offset`` (all of them if not said); the bytes are copied.

        Raises:
            ValidationException: The bytes do not exist or are not UTF-8.
        """
        end = len(utf8) if num_bytes is None else offset + num_bytes
        if not 0 <= offset <= end <= len(utf8):
            raise ValidationException(f"There are no bytes {offset} to {end}: only {len(utf8)} bytes are given.")
        part = bytes(utf8[offset:end])
        try:
            part.decode()
        except UnicodeDecodeError as error:
            raise ValidationException(f"The bytes are not UTF-8: {error.reason} at position {error.start}.") from None
        return cls._of(part)

    def to_bytes(self) -> bytes:
        """Returns the UTF-8 bytes."""
        return self._bytes

    def __str__(self) -> str:
        return self._bytes.decode()

    def __repr__(self) -> str:
        return f"StringData({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return self._bytes == other._bytes if isinstance(other, StringData) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._bytes < other._bytes if isinstance(other, StringData) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> tuple[object, ...]:
        return StringData._of, (self._bytes,)
