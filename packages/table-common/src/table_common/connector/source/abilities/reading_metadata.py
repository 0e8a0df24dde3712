"""A source that knows more of a row than its columns: the file it stands in, the time it was sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from table_common.types import LogicalType, RowType

__all__ = ["SupportsReadingMetadata"]


class SupportsReadingMetadata(ABC):
    """Gives metadata as columns behind those of the row; ``METADATA`` columns of a table's definition ask for it by key."""

    @abstractmethod
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        """Returns the keys with the types that the source produces; a column of another type is cast, if that is possible."""

    @abstractmethod
    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        """Tells the source which metadata to append to each row, in this order.

        ``produced_type`` is the whole row: first the physical columns (as ``apply_projection`` left them), then one field for each key, of
        the source's type and with the column's name. Is called with all metadata columns of the table, and once more, after
        ``apply_projection``, if fewer are used: the last call counts. If it is not called no metadata is wanted.
        """
