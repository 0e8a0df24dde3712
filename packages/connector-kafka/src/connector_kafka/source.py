"""The source: columns and metadata of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from connector_kafka.cluster import Cluster
from connector_kafka.columns import RecordColumns
from connector_kafka.decoding import ColumnOrigin, RecordDecoding
from connector_kafka.metadata import READABLE
from connector_kafka.modes import Mode
from connector_kafka.source_provider import KafkaSourceProvider
from connector_kafka.topics import Topics
from table_common.annotation import override
from table_common.connector import ChangelogMode, DecodingFormat, RowKind, ScanTableSource
from table_common.connector.source.abilities import SupportsProjectionPushDown, SupportsReadingMetadata
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types import LogicalType, RowType

_OF_FORMAT = "value."
"""The beginning of the keys of the format's metadata."""


@dataclass
class KafkaTableSource(ScanTableSource, SupportsReadingMetadata, SupportsProjectionPushDown):
    """Reads topics: rows, changes if the format has them, or the last row of each key (``is_upsert``)."""

    connector: str
    table: str
    cluster: Cluster
    topics: Topics
    columns: RecordColumns
    key_format: DecodingFormat | None
    value_format: DecodingFormat
    startup: Mode
    bounded: Mode | None
    discovery: float = 300.0
    on_out_of_range: str = "fail"
    is_upsert: bool = False
    projected: tuple[int, ...] | None = None
    metadata: tuple[str, ...] = ()
    produced_type: RowType | None = None

    @override
    def as_summary_string(self) -> str:
        columns = "" if self.projected is None else f", columns=[{', '.join(self.columns.physical.field_names[i] for i in self.projected)}]"
        return f"{self.connector}({self.topics}{columns})"

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.upsert() if self.is_upsert else self.value_format.get_changelog_mode()

    @override
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        of_format = {f"{_OF_FORMAT}{key}": type_ for key, type_ in self.value_format.list_readable_metadata().items()}
        return {**of_format, **READABLE}

    @override
    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        self.metadata = tuple(metadata_keys)
        self.produced_type = produced_type

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.projected = tuple(path[0] for path in projected_fields)
        self.produced_type = produced_type
        self.metadata = ()

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> KafkaSourceProvider:
        if context.is_bounded_required and self.bounded is None:
            raise ValidationException(
                f"{self.table} has no end, so it cannot be read in batch mode.",
                hint="'scan.bounded.mode' = 'latest-offset' ends at the last message that the topic has when the job begins",
            )
        return KafkaSourceProvider(
            self.cluster, self.topics, self.startup, self.bounded, self._decoding(), self.discovery, self.on_out_of_range
        )

    def _decoding(self) -> RecordDecoding:
        """Returns how the columns that are used are decoded; the others are not."""
        physical = self.columns.physical
        projected = tuple(range(len(physical.fields))) if self.projected is None else self.projected
        produced = self.produced_type or physical
        values = [index for index in projected if index in self.columns.value]
        keys = [index for index in projected if index in self.columns.key and (self.is_upsert or index not in values)]
        of_format = [key for key in self.metadata if key.startswith(_OF_FORMAT)]
        origins = [
            ColumnOrigin(values.index(index) if index in values else None, keys.index(index) if index in keys else None)
            for index in projected
        ]
        for key in self.metadata:
            origins.append(ColumnOrigin(len(values) + of_format.index(key)) if key in of_format else ColumnOrigin(metadata=key))
        self.value_format.apply_readable_metadata([key.removeprefix(_OF_FORMAT) for key in of_format])
        value_type = RowType(tuple(physical.fields[index] for index in values), nullable=False)
        value = self.value_format.create_runtime_decoder(self.columns.value_type, value_type)
        key_decoder = None
        if keys and self.key_format is not None:
            names = dict(zip(self.columns.key, self.columns.key_type.fields, strict=True))
            key_type = RowType(tuple(names[index] for index in keys), nullable=False)
            key_decoder = self.key_format.create_runtime_decoder(self.columns.key_type, key_type)
        has_kinds = not self.value_format.get_changelog_mode().contains_only(RowKind.INSERT)
        return RecordDecoding(value, key_decoder, tuple(origins), produced, has_kinds, self.is_upsert)
