"""The definition of a memory table, shared by its source and sink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from table_common.arrow import to_arrow_schema
from table_common.connector.source.abilities import PartitionValue
from table_common.frozen_dataclass import dataclass
from table_common.types import IntType, LogicalType, RowType, VarCharType
from table_runtime.files import value_of_text
from table_runtime.formats.text.values import to_text

METADATA: Mapping[str, LogicalType] = {"label": VarCharType(), "priority": IntType()}
"""The metadata keys of rows, with their types."""


@dataclass(frozen=True)
class MemoryDefinition:
    """The definition of a table: its types, keys and options."""

    name: str
    physical_type: RowType
    partition_keys: tuple[str, ...]
    primary_key: tuple[str, ...]
    push_down: bool
    splits: int
    row_level_mode: str

    @property
    def stored_type(self) -> RowType:
        """The physical columns, then all metadata columns with reserved names."""
        metadata = RowType.of([(self.metadata_column(key), data_type) for key, data_type in METADATA.items()])
        return RowType((*self.physical_type.fields, *metadata.fields), nullable=False)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the stored rows; all columns are nullable, because an INSERT may omit columns."""
        return pa.schema([field.with_nullable(True) for field in to_arrow_schema(self.stored_type)])

    @staticmethod
    def metadata_column(key: str) -> str:
        """Returns the name of the stored column of a metadata key."""
        return f"$metadata.{key}"

    def partitions_of(self, rows: pa.Table) -> list[tuple[str | None, ...]]:
        """Returns the values of the partition keys of each row, as text."""
        types = {field.name: field.type for field in self.physical_type.fields}
        texts = [to_text(rows.column(key).combine_chunks(), types[key]).to_pylist() for key in self.partition_keys]
        return list(zip(*texts, strict=True)) if texts else [()] * rows.num_rows

    def described(self, partition: Sequence[str | None]) -> dict[str, PartitionValue]:
        """Returns the values of a partition by key."""
        types = {field.name: field.type for field in self.physical_type.fields}
        return {key: value_of_text(text, types[key]) for key, text in zip(self.partition_keys, partition, strict=True)}
