"""What the factories of the connectors ``kafka`` and ``upsert-kafka`` share: formats, topics, columns and settings, checked in the same order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from connector_kafka import options as opt
from connector_kafka.cluster import Cluster
from connector_kafka.columns import RecordColumns
from connector_kafka.delivery import Guarantee
from connector_kafka.formats import RecordFormats
from connector_kafka.modes import Mode
from connector_kafka.settings import bounded_mode, partitioner_of, topic_of_sink, topics_of
from connector_kafka.sink import KafkaTableSink
from connector_kafka.source import KafkaTableSource
from connector_kafka.topics import Topics
from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory

Formats = Sequence[DecodingFormat | EncodingFormat | None]
"""The format of the value and that of the key, None without one."""


class TopicFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks of topics; a connector says what it takes."""

    is_upsert: ClassVar[bool] = False
    """Whether a message is the last row of its key."""

    @abstractmethod
    def check_formats(self, context: DynamicTableFactory.Context, formats: Formats, where: str) -> None:
        """Raises a ``ValidationException`` if the table cannot have these formats."""

    @abstractmethod
    def columns(self, context: DynamicTableFactory.Context, config: ReadableConfig, where: str) -> RecordColumns:
        """Returns which columns are in the key and in the value."""

    @abstractmethod
    def startup_mode(self, config: ReadableConfig, topics: Topics, where: str) -> Mode:
        """Returns where reading begins."""

    def check_partitioner(self, partitioner: str, where: str) -> None:
        """Raises a ``ValidationException`` if rows cannot be distributed so."""

    def reduced_rows(self, config: ReadableConfig, where: str) -> int:
        """Returns how many rows are kept to write the last one of each key only; 0 for none."""
        return 0

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> KafkaTableSource:
        formats = RecordFormats(self, context)
        config, where = formats.config, formats.where
        topics = topics_of(config, where)
        value, key = formats.value_decoding(), formats.key_decoding()
        self.check_formats(context, (value, key), where)
        return KafkaTableSource(
            self.factory_identifier,
            f"Table {context.object_identifier.as_summary_string()}",
            Cluster.of(context.catalog_table.options, where),
            topics,
            self.columns(context, config, where),
            key,
            value,
            self.startup_mode(config, topics, where),
            bounded_mode(config, topics, where),
            config.get(opt.DISCOVERY).total_seconds(),
            config.get(opt.OUT_OF_RANGE),
            is_upsert=self.is_upsert,
        )

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> KafkaTableSink:
        formats = RecordFormats(self, context)
        config, where = formats.config, formats.where
        value, key = formats.value_encoding(), formats.key_encoding()
        self.check_formats(context, (value, key), where)
        columns = self.columns(context, config, where)
        partitioner = partitioner_of(config, bool(columns.key), where)
        self.check_partitioner(partitioner, where)
        staging = config.get_optional(opt.STAGING_FOLDER)
        return KafkaTableSink(
            self.factory_identifier,
            Cluster.of(context.catalog_table.options, where),
            topic_of_sink(config, where),
            columns,
            key,
            value,
            partitioner,
            Guarantee(config.get(opt.DELIVERY), config.get(opt.TRANSACTIONAL_PREFIX)),
            context.gate.path(staging, f"The option '{opt.STAGING_FOLDER.key}' of {where}") if staging is not None else None,
            is_upsert=self.is_upsert,
            reduced_rows=self.reduced_rows(config, where),
        )
