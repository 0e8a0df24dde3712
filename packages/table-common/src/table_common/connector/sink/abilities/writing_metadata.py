"""A sink that writes metadata, such as the key or the timestamp of a message."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from table_common.types import LogicalType, RowType


class SupportsWritingMetadata(ABC):
    """Takes the ``METADATA`` columns of a table's definition that are not VIRTUAL.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata``.

    Example:
        >>> from table_common.types import VarBinaryType
        >>> class Topic(SupportsWritingMetadata):
        ...     def list_writable_metadata(self):
        ...         return {"key": VarBinaryType()}
        ...     def apply_writable_metadata(self, metadata_keys, consumed_type):
        ...         self.metadata = tuple(metadata_keys)
        >>> list(Topic().list_writable_metadata())
        ['key']
    """

    @abstractmethod
    def list_writable_metadata(self) -> Mapping[str, LogicalType]:
        """Returns the type that the sink accepts for each key; a column of another type is cast if possible."""

    @abstractmethod
    def apply_writable_metadata(self, metadata_keys: Sequence[str], consumed_type: RowType) -> None:
        """Tells the sink which metadata follows the physical columns of each row, in this order.

        ``consumed_type`` is the whole row: the physical columns, then one field for each key, of the sink's type and with the column's
        name. The keys are in the order of ``list_writable_metadata``. If it is not called, rows have no metadata.
        """
