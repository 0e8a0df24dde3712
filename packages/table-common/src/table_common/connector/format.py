"""Formats of messages: from bytes to rows, and back, a batch at a time.

A connector gets the format of the table's options from ``FactoryUtil.discover_decoding_format``, selects metadata, and creates a decoder, which
is pickled and sent to the tasks. Arrow data has a structural type, so this module needs no pyarrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.connector.changelog_mode import ChangelogMode
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass
from table_common.types import LogicalType, RowType


@dataclass(frozen=True, slots=True)
class DecodedMessages:
    """The rows decoded from a batch of messages.

    ``rows`` has the requested columns, then the requested metadata and, if the format's changelog mode is not insert-only, the row kinds
    (int8, codes of ``RowKind``) as the last column. ``positions`` has the index of each row's message (int64, from 0, ascending); None if
    each message gave one row. ``ignored`` counts the unreadable messages and values that the format's options tell it to ignore;
    ``first_ignored`` describes the first of them.

    Example:
        >>> import pyarrow
        >>> rows = pyarrow.record_batch({"id": [1, 2, 3]})
        >>> decoded = DecodedMessages(rows, positions=pyarrow.array([0, 0, 1]), ignored=1, first_ignored="message 2: 'x' is not a number")
        >>> decoded.rows.num_rows, decoded.ignored
        (3, 1)
    """

    rows: SupportsArrowArray
    positions: SupportsArrowArray | None = None
    ignored: int = 0
    first_ignored: str | None = None


class MessageDecoder(ABC):
    """Decodes messages. Picklable until it is opened; opened once in each task, and used by one thread at a time.

    Source: Flink's ``org.apache.flink.api.common.serialization.DeserializationSchema``.

    Example:
        >>> import pyarrow
        >>> class Numbers(MessageDecoder):
        ...     def decode(self, messages, where=None):
        ...         values = [int(message) for message in messages.to_pylist() if message is not None]
        ...         return DecodedMessages(pyarrow.record_batch({"n": pyarrow.array(values, pyarrow.int32())}))
        >>> Numbers().decode(pyarrow.array([b"1", b"2"])).rows.column("n").to_pylist()
        [1, 2]
    """

    def open(self) -> None:  # noqa: B027  # most have nothing to open
        """Prepares for decoding: creates the state that cannot be pickled."""

    @abstractmethod
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        """Returns the rows of an array of binary values. NULL (a tombstone) produces no row; in the format ``raw`` it produces a row of NULL.

        Args:
            messages: An Arrow array of BYTES.
            where: Names a message in errors, given its position: the topic and offset, or the file and line.

        Raises:
            TableRuntimeException: A message cannot be read, and errors are not ignored; the error names the message and shows its beginning.
        """


class MessageEncoder(ABC):
    """Encodes rows. Picklable until it is opened; opened once in each task, and used by one thread at a time.

    Source: Flink's ``org.apache.flink.api.common.serialization.SerializationSchema``.

    Example:
        >>> import pyarrow
        >>> class Numbers(MessageEncoder):
        ...     def encode(self, rows):
        ...         return pyarrow.array([str(value).encode() for value in rows.column(0).to_pylist()], pyarrow.binary())
        >>> Numbers().encode(pyarrow.record_batch({"n": [1, 2]})).to_pylist()
        [b'1', b'2']
    """

    def open(self) -> None:  # noqa: B027  # most have nothing to open
        """Prepares for encoding: creates the state that cannot be pickled."""

    @abstractmethod
    def encode(self, rows: SupportsArrowArray) -> SupportsArrowArray:
        """Returns an array of BYTES, one message for each row; an additional last column of the batch holds the row kinds.

        Raises:
            TableRuntimeException: The format cannot represent a value.
        """


class DecodingFormat(ABC):
    """A configured format, for reading. Sources keep it; ``apply_readable_metadata`` changes it, so that ``copy`` of a source copies it.

    Source: Flink's ``org.apache.flink.table.connector.format.DecodingFormat``.

    Example:
        >>> class Numbers(DecodingFormat):
        ...     def get_changelog_mode(self):
        ...         return ChangelogMode.insert_only()
        ...     def create_runtime_decoder(self, physical_type, produced_type=None):
        ...         return NumbersDecoder(produced_type or physical_type)
        >>> Numbers().list_readable_metadata()
        {}
    """

    @abstractmethod
    def get_changelog_mode(self) -> ChangelogMode:
        """Returns the row kinds that messages can represent."""

    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        """Returns the types of the metadata that the format can read, by key."""
        return {}

    def apply_readable_metadata(self, metadata_keys: Sequence[str]) -> None:
        """Selects the metadata that follows the columns, in this order; a later call replaces an earlier one.

        Raises:
            TableException: the format has no metadata, which is the default.
        """
        if metadata_keys:
            raise TableException(f"The format {type(self).__name__} has no metadata '{metadata_keys[0]}'.")

    @abstractmethod
    def create_runtime_decoder(self, physical_type: RowType, produced_type: RowType | None = None) -> MessageDecoder:
        """Returns the decoder of messages.

        Args:
            physical_type: The row type of a message.
            produced_type: The columns to decode, by name; None: all.

        Raises:
            TableException: The format has no form for a column's type.
        """


class EncodingFormat(ABC):
    """A configured format, for writing.

    Source: Flink's ``org.apache.flink.table.connector.format.EncodingFormat``.

    Example:
        >>> class Numbers(EncodingFormat):
        ...     def create_runtime_encoder(self, consumed_type):
        ...         return NumbersEncoder(consumed_type)
        >>> str(Numbers().get_changelog_mode())
        '[+I]'
    """

    def get_changelog_mode(self) -> ChangelogMode:
        """Returns the row kinds that messages can represent."""
        return ChangelogMode.insert_only()

    @abstractmethod
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        """Returns the encoder of rows.

        Raises:
            TableException: The format has no form for a column's type.
        """
