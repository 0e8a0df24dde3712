"""The source: columns and metadata of captured tables, and which changes it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.rows import METADATA, RowShape
from connector_postgres_cdc.source_provider import PostgresCdcSourceProvider
from table_common.annotation import override
from table_common.connector import ChangelogMode, ScanTableSource
from table_common.connector.source.abilities import SupportsProjectionPushDown, SupportsReadingMetadata
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import LogicalType, RowType


@dataclass
class PostgresCdcTableSource(ScanTableSource, SupportsReadingMetadata, SupportsProjectionPushDown):
    """Reads tables and their changes: with old rows, or as new rows by primary key (``is_upsert`` of the shape)."""

    table: str
    capture: Capture
    physical: RowType

    @override
    def as_summary_string(self) -> str:
        names = ", ".join(table.shown for table in self.capture.tables)
        shape = self.capture.shape
        columns = "" if shape.fields == self.physical.fields else f", columns=[{', '.join(field.name for field in shape.fields)}]"
        missing = [table for table in self.capture.tables if not table.is_full]
        hint = f", old rows with REPLICA IDENTITY FULL of {missing[0].shown}" if shape.is_upsert and missing else ""
        return f"postgres-cdc({names}{columns}{hint})"

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        if self.capture.is_snapshot:
            return ChangelogMode.insert_only()
        return ChangelogMode.upsert() if self.capture.shape.is_upsert else ChangelogMode.all()

    @override
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        return METADATA

    @override
    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        self._produce(produced_type, tuple(metadata_keys))

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self._produce(produced_type, ())

    def _produce(self, produced: RowType, metadata: tuple[str, ...]) -> None:
        shape: RowShape = replace(self.capture.shape, produced=produced, metadata=metadata)
        self.capture = replace(self.capture, shape=shape)

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> PostgresCdcSourceProvider:
        if context.is_bounded_required and not self.capture.is_snapshot:
            raise ValidationException(
                f"{self.table} has no end, so it cannot be read in batch mode.",
                hint="'scan.startup.mode' = 'snapshot' reads the tables as they are now, and so does the connector 'jdbc'",
            )
        return PostgresCdcSourceProvider(self.capture)
