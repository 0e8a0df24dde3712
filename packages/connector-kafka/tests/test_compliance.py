"""The connectors pass the compliance suites that need no engine, on both brokers; ``tests/integration`` runs SQL on both engines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from kafka_brokers import new_topic, produce, servers, stored

from connector_kafka import KafkaTableFactory, UpsertKafkaTableFactory
from table_testing import OffsetCompliance, SinkCompliance

Rows = Sequence[tuple[Any, ...]]
ROWS = ((1, "one", 1.5), (2, None, 2.5), (4, "O'Neil_%*?[ \"\\", -0.5), (7, "One", None), (1 << 62, "", 1e300))
NAMES = ("id", "name", "amount")


class KafkaCase(OffsetCompliance, SinkCompliance):
    factory = KafkaTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    rows = ROWS
    broker: ClassVar[str] = "tansu"

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        topic = new_topic(self.broker)
        for number, row in enumerate(rows):
            produce(self.broker, topic, [json.dumps(dict(zip(NAMES, row, strict=True))).encode()], number % 2)
        return {
            "topic": topic,
            "properties.bootstrap.servers": servers(self.broker),
            "properties.default.api.timeout.ms": "10000",
            "format": "json",
            "scan.startup.mode": "earliest-offset",
            "scan.bounded.mode": "latest-offset",
            "sink.staging-directory": str(folder / "staged"),
        }

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        rows = [json.loads(message.value() or b"") for message in stored(self.broker, options["topic"])]
        return [tuple(row[name] for name in NAMES) for row in rows]


class TestTansu(KafkaCase):
    pass


class TestMock(KafkaCase):
    broker = "mock"


class UpsertKafkaCase(OffsetCompliance, SinkCompliance):
    factory = UpsertKafkaTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    primary_key = ("id",)
    rows = ROWS
    broker: ClassVar[str] = "tansu"

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        topic = new_topic(self.broker)
        for number, row in enumerate(rows):
            value = json.dumps(dict(zip(NAMES, row, strict=True))).encode()
            produce(self.broker, topic, [value], number % 2, key=json.dumps({"id": row[0]}).encode())
        return {
            "topic": topic,
            "properties.bootstrap.servers": servers(self.broker),
            "properties.default.api.timeout.ms": "10000",
            "key.format": "json",
            "value.format": "json",
            "scan.bounded.mode": "latest-offset",
            "sink.staging-directory": str(folder / "staged"),
        }

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        last: dict[bytes | None, bytes | None] = {}
        for message in stored(self.broker, options["topic"]):
            last[message.key()] = message.value()
        rows = [json.loads(value) for value in last.values() if value is not None]
        return [tuple(row[name] for name in NAMES) for row in rows]


class TestUpsertTansu(UpsertKafkaCase):
    pass


class TestUpsertMock(UpsertKafkaCase):
    broker = "mock"


del KafkaCase, UpsertKafkaCase, OffsetCompliance, SinkCompliance
