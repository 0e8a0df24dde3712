"""The connectors ``kafka`` and ``upsert-kafka``: topics as tables, through confluent-kafka and without a JVM. It depends on ``table_common`` only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from connector_kafka.factory import KafkaTableFactory
    from connector_kafka.sink import KafkaTableSink
    from connector_kafka.source import KafkaTableSource
    from connector_kafka.upsert_factory import UpsertKafkaTableFactory

__all__ = ["KafkaTableFactory", "KafkaTableSink", "KafkaTableSource", "UpsertKafkaTableFactory"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "connector_kafka.factory": ("KafkaTableFactory",),
        "connector_kafka.sink": ("KafkaTableSink",),
        "connector_kafka.source": ("KafkaTableSource",),
        "connector_kafka.upsert_factory": ("UpsertKafkaTableFactory",),
    },
)
