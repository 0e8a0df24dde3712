"""Tables of topics for the tests, made by the factories."""

from __future__ import annotations

from typing import Any

from kafka_brokers import servers

from connector_kafka import KafkaTableFactory, UpsertKafkaTableFactory
from connector_kafka.source_provider import KafkaSourceProvider
from connector_kafka.writing import KafkaSinkProvider
from table_common import arrow
from table_common.connector import DynamicTableSink, ScanTableSource
from table_testing import ConnectorCase

Row = tuple[Any, ...]


def case_of(columns: str, key: tuple[str, ...] = ()) -> ConnectorCase:
    """Returns a declared table; with a primary key, of the connector ``upsert-kafka``."""
    attributes = {"schema": columns, "primary_key": key, "factory": UpsertKafkaTableFactory if key else KafkaTableFactory}
    case: ConnectorCase = type("Case", (ConnectorCase,), attributes)()
    return case


def options_of(broker: str, topic: str, *, is_upsert: bool = False, **more: str) -> dict[str, str]:
    """Returns the options of a bounded table of JSON messages; in ``more``, ``__`` stands for a dot and ``_`` for a dash."""
    options = {"topic": topic, "properties.bootstrap.servers": servers(broker), "scan.bounded.mode": "latest-offset"}
    options |= {"properties.default.api.timeout.ms": "10000"}
    options |= {"key.format": "json", "value.format": "json"} if is_upsert else {"format": "json", "scan.startup.mode": "earliest-offset"}
    return options | {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}


def source_of(case: ConnectorCase, options: dict[str, str], *, is_bounded: bool = True) -> KafkaSourceProvider:
    """Returns the provider of a scan."""
    source: Any = case.source(options)
    provider: KafkaSourceProvider = source.get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded))
    return provider


def sink_of(case: ConnectorCase, options: dict[str, str]) -> KafkaSinkProvider:
    """Returns the provider of a sink."""
    provider = case.sink(options).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, KafkaSinkProvider)
    return provider


def rows_between(provider: KafkaSourceProvider, start: Any, end: Any) -> list[Row]:
    """Returns the rows of a range, with their row kinds if there are changes, by partition and offset."""
    reader = provider.create_reader()
    try:
        batches = [batch for split in provider.plan(start, end) for batch in reader.read(split)]
    finally:
        reader.close()
    return [tuple(row.values()) for batch in batches for row in arrow.import_batch(batch).to_pylist()]


def all_rows(provider: KafkaSourceProvider) -> list[Row]:
    """Returns the rows from the first offset to the latest."""
    start = provider.initial_offset()
    rows = rows_between(provider, start, provider.latest_offset(start))
    provider.close()
    return rows
