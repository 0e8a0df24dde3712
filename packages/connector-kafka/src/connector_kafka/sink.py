"""The sink: rows become messages of one topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from connector_kafka.cluster import Cluster
from connector_kafka.columns import RecordColumns
from connector_kafka.delivery import Guarantee
from connector_kafka.encoding import RecordEncoding
from connector_kafka.metadata import WRITABLE
from connector_kafka.staging import StagingFolder
from connector_kafka.writing import KafkaSinkProvider
from table_common.annotation import override
from table_common.connector import ArrowSinkProvider, ChangelogMode, DynamicTableSink, EncodingFormat
from table_common.connector.sink.abilities import SupportsWritingMetadata
from table_common.frozen_dataclass import dataclass
from table_common.gate import AllowedPath
from table_common.types import LogicalType, RowType


@dataclass
class KafkaTableSink(DynamicTableSink, SupportsWritingMetadata):
    """Writes a topic: insertions, changes if the format has them, or the last row of each key (``is_upsert``)."""

    connector: str
    cluster: Cluster
    topic: str
    columns: RecordColumns
    key_format: EncodingFormat | None
    value_format: EncodingFormat
    partitioner: str
    delivery: Guarantee
    staging_folder: AllowedPath | None = None
    is_upsert: bool = False
    reduced_rows: int = 0
    metadata: tuple[str, ...] = ()
    consumed_type: RowType | None = None

    @override
    def as_summary_string(self) -> str:
        return f"{self.connector}({self.topic})"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.upsert() if self.is_upsert else self.value_format.get_changelog_mode()

    @override
    def list_writable_metadata(self) -> Mapping[str, LogicalType]:
        return WRITABLE

    @override
    def apply_writable_metadata(self, metadata_keys: Sequence[str], consumed_type: RowType) -> None:
        self.metadata = tuple(metadata_keys)
        self.consumed_type = consumed_type

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        columns = self.columns
        encoding = RecordEncoding(
            self.value_format.create_runtime_encoder(columns.value_type),
            columns.value,
            self.key_format.create_runtime_encoder(columns.key_type) if self.key_format is not None else None,
            columns.key,
            columns.key_type.field_names,
            len(columns.physical.fields),
            self.metadata,
            self.is_upsert,
        )
        staging = StagingFolder(self.staging_folder, self.cluster, self.topic)
        consumed = self.consumed_type or columns.physical
        return KafkaSinkProvider(self.cluster, self.topic, consumed, encoding, self.partitioner, self.delivery, staging, self.reduced_rows)
