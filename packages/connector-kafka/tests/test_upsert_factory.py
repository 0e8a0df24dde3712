"""The options of the connector ``upsert-kafka``."""

from __future__ import annotations

import pytest

from connector_kafka import UpsertKafkaTableFactory
from table_common.exceptions import ValidationException
from table_testing import ConnectorCase

OPTIONS = {"topic": "orders", "properties.bootstrap.servers": "127.0.0.1:1", "key.format": "json", "value.format": "json"}


class Case(ConnectorCase):
    factory = UpsertKafkaTableFactory
    schema = "id BIGINT NOT NULL, name STRING"
    primary_key = ("id",)


class CaseWithoutKey(Case):
    primary_key = ()


def test_a_table_without_primary_key_is_refused() -> None:
    with pytest.raises(ValidationException, match="needs a primary key"):
        CaseWithoutKey().source(OPTIONS)


@pytest.mark.parametrize("format_", ["key.format", "value.format"])
def test_formats_of_changes_are_refused(format_: str) -> None:
    with pytest.raises(ValidationException, match="takes formats of rows"):
        Case().source({**OPTIONS, format_: "debezium-json"})


def test_a_partitioner_that_ignores_keys_is_refused() -> None:
    with pytest.raises(ValidationException, match="rows of a key to several partitions"):
        Case().sink({**OPTIONS, "sink.partitioner": "fixed"})
