"""The source: columns that are not used are not decoded; metadata."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from kafka_brokers import BROKERS, new_topic, produce
from kafka_tables import all_rows, case_of, options_of

from connector_kafka.metadata import READABLE
from table_common.connector import ScanTableSource
from table_common.types import RowField, RowType

CASE = case_of("id BIGINT, name STRING")


def rows_with(source: Any, metadata: tuple[str, ...], types: Any) -> list[tuple[Any, ...]]:
    fields = [RowField(f"m{index}", types[key]) for index, key in enumerate(metadata)]
    physical = source.produced_type or CASE.row_type
    source.apply_readable_metadata(metadata, RowType((*physical.fields, *fields), nullable=False))
    return all_rows(source.get_scan_runtime_provider(ScanTableSource.ScanContext()))


@pytest.mark.parametrize("broker", BROKERS)
def test_a_message_has_its_metadata(broker: str) -> None:
    topic = new_topic(broker)
    produce(broker, topic, [b'{"id": 1}'], 2, timestamp=1_700_000_000_123, headers=[("a", b"1"), ("b", b"2"), ("a", b"3")])
    source: Any = CASE.source(options_of(broker, topic))
    (row,) = rows_with(source, ("topic", "partition", "offset", "timestamp", "timestamp-type", "headers", "leader-epoch"), READABLE)
    at = datetime(2023, 11, 14, 22, 13, 20, 123_000, UTC)
    assert row[2:8] == (topic, 2, 0, at, "CreateTime", [("a", b"3"), ("b", b"2")])
    assert row[8] in (None, 0)


def test_columns_that_are_not_used_are_not_decoded() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"id": "no number", "name": "a"}'])
    source: Any = CASE.source(options_of("tansu", topic))
    source.apply_projection([(1,)], RowType(CASE.row_type.fields[1:], nullable=False))
    assert source.as_summary_string() == f"kafka({topic}, columns=[name])"
    assert rows_with(source, ("offset",), READABLE) == [("a", 0)]


def test_each_of_many_messages_has_its_metadata() -> None:
    topic = new_topic("tansu", 1)
    for number in range(3):
        produce("tansu", topic, [b'{"id": %d}' % number] * 700, headers=[("n", b"%d" % number)] if number else None)
    found = rows_with(CASE.source(options_of("tansu", topic)), ("offset", "headers", "partition"), READABLE)
    expected = [(offset // 700, None, offset, [("n", b"%d" % (offset // 700))] if offset >= 700 else [], 0) for offset in range(2_100)]
    assert found == expected


def test_metadata_of_the_format_has_a_prefix() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"before": null, "after": {"id": 1, "name": "a"}, "op": "c", "ts_ms": 1000}'])
    source: Any = CASE.source(options_of("tansu", topic) | {"format": "debezium-json"})
    types = source.list_readable_metadata()
    (row,) = rows_with(source, ("value.ingestion-timestamp", "offset"), types)
    assert row == (1, "a", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), 0, 0)
