"""A source that provides metadata of its rows, such as the file of a row or the timestamp of a message."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from table_common.types import LogicalType, RowType


class SupportsReadingMetadata(ABC):
    """Provides metadata for the ``METADATA`` columns of a table's definition, by key.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata``.

    Example:
        >>> from table_common.types import BigIntType
        >>> class Topic(SupportsReadingMetadata):
        ...     def list_readable_metadata(self):
        ...         return {"offset": BigIntType(nullable=False)}
        ...     def apply_readable_metadata(self, metadata_keys, produced_type):
        ...         self.metadata = tuple(metadata_keys)
        >>> list(Topic().list_readable_metadata())
        ['offset']
    """

    @abstractmethod
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        """Returns the type that the source produces for each key; a column of another type is cast if possible."""

    @abstractmethod
    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        """Tells the source which metadata to append to each row, in this order.

        ``produced_type`` is the whole row: first the physical columns (as ``apply_projection`` left them), then one field for each key, of
        the source's type and with the column's name. Called with all metadata columns of the table, and again, after
        ``apply_projection``, if fewer are used: the later call replaces the earlier one. If it is not called, rows have no metadata.
        """
