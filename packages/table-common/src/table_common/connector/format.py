"""What a format is to a connector of messages: bytes to rows, and rows to bytes, a whole batch at a time.

A connector asks ``FactoryUtil.discover_decoding_format`` for the format that the table's options name, says which metadata it
wants, and makes a decoder of it, which travels to where the messages are. Arrow data is typed by structure, so this module needs no pyarrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from table_common.connector.arrow_array import SupportsArrowArray
from table_common.connector.changelog_mode import ChangelogMode
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass
from table_common.types import LogicalType, RowType

__all__ = ["DecodedMessages", "DecodingFormat", "EncodingFormat", "MessageDecoder", "MessageEncoder"]


@dataclass(frozen=True, slots=True)
class DecodedMessages:
    """The rows that a batch of messages stands for.

    ``rows`` has the columns asked for, then the metadata asked for, and, if the format's changelog mode is not insert-only, the row kinds
    (int8, codes of ``RowKind``) as the last column. ``positions`` says for each row which message it came from (int64, counted from 0,
    ascending); None: each message gave one row. ``ignored`` counts the messages and values that could not be read and that the format's
    options say to ignore; ``first_ignored`` tells the first of them.
    """

    rows: SupportsArrowArray
    positions: SupportsArrowArray | None = None
    ignored: int = 0
    first_ignored: str | None = None


class MessageDecoder(ABC):
    """Decodes messages. It must be picklable until it is opened; it is opened once where it runs, and used by one thread at a time."""

    def open(self) -> None:  # noqa: B027  # most have nothing to open
        """Prepares for decoding: loads what cannot travel."""

    @abstractmethod
    def decode(self, messages: SupportsArrowArray, where: Callable[[int], str] | None = None) -> DecodedMessages:
        """Returns the rows of an array of binary values; NULL (a tombstone) gives no row, or, in the format ``raw``, one of NULL.

        Args:
            messages: An Arrow array of BYTES.
            where: Names a message in errors, given its position: the topic and offset, or the file and line.

        Raises:
            TableRuntimeException: A message cannot be read, and errors are not ignored; says where, what, and shows the beginning of it.
        """


class MessageEncoder(ABC):
    """Encodes rows. It must be picklable until it is opened; it is opened once where it runs, and used by one thread at a time."""

    def open(self) -> None:  # noqa: B027  # most have nothing to open
        """Prepares for encoding: loads what cannot travel."""

    @abstractmethod
    def encode(self, rows: SupportsArrowArray) -> SupportsArrowArray:
        """Returns an array of BYTES, one message for each row; a batch with one more column than asked for has row kinds in it.

        Raises:
            TableRuntimeException: A value has no form in this format.
        """


class DecodingFormat(ABC):
    """A configured format, for reading. Sources keep it; ``apply_readable_metadata`` changes it, so that ``copy`` of a source copies it."""

    @abstractmethod
    def get_changelog_mode(self) -> ChangelogMode:
        """Returns the kinds of row that messages can stand for."""

    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        """Returns what can be read of a message beside its row, by key."""
        return {}

    def apply_readable_metadata(self, metadata_keys: Sequence[str]) -> None:
        """Says which metadata comes behind the columns, in this order; the last call counts."""
        if metadata_keys:
            raise TableException(f"The format {type(self).__name__} has no metadata '{metadata_keys[0]}'.")

    @abstractmethod
    def create_runtime_decoder(self, physical_type: RowType, produced_type: RowType | None = None) -> MessageDecoder:
        """Returns the decoder of messages.

        Args:
            physical_type: The row that a message stands for.
            produced_type: The columns of it that are wanted, by name; None: all.

        Raises:
            TableException: The format has no form for a column's type.
        """


class EncodingFormat(ABC):
    """A configured format, for writing."""

    def get_changelog_mode(self) -> ChangelogMode:
        """Returns the kinds of row that messages can stand for."""
        return ChangelogMode.insert_only()

    @abstractmethod
    def create_runtime_encoder(self, consumed_type: RowType) -> MessageEncoder:
        """Returns the encoder of rows.

        Raises:
            TableException: The format has no form for a column's type.
        """
