"""The connectors ``kafka`` and ``upsert-kafka``: topics as tables, through confluent-kafka and without a JVM. It depends on ``table_common`` only."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .factory: KafkaTableFactory
    .sink: KafkaTableSink
    .source: KafkaTableSource
    .upsert_factory: UpsertKafkaTableFactory
    """,
)
