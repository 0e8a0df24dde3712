"""The formats of a table."""

from __future__ import annotations

import pytest

from connector_kafka import KafkaTableFactory
from connector_kafka.formats import RecordFormats
from table_testing import ConnectorCase


class Case(ConnectorCase):
    factory = KafkaTableFactory
    schema = "id BIGINT, name STRING"


@pytest.mark.parametrize(("given", "subject"), [({}, "orders-value"), ({"avro-confluent.subject": "mine"}, "mine")])
def test_the_schema_of_a_registry_has_the_name_of_the_topic_unless_it_has_another(given: dict[str, str], subject: str) -> None:
    options = {"topic": "orders", "properties.bootstrap.servers": "here", "format": "avro-confluent", "avro-confluent.url": "http://here"}
    formats = RecordFormats(KafkaTableFactory(), Case().context(options | given))
    assert formats._context.catalog_table.options["avro-confluent.subject"] == subject
