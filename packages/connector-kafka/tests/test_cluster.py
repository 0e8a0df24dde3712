"""The properties of the client."""

from __future__ import annotations

from typing import Any

import pytest

from connector_kafka import cluster as cluster_module
from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors
from table_common.exceptions import ValidationException


def cluster_of(**properties: str) -> Cluster:
    return Cluster({"bootstrap.servers": "127.0.0.1:1"} | {name.replace("_", "."): value for name, value in properties.items()})


def test_properties_of_the_java_client_get_the_names_of_librdkafka() -> None:
    client = cluster_of(max_request_size="5", fetch_max_wait_ms="6", key_deserializer="org.example.Mine")._client
    assert client["message.max.bytes"] == "5"
    assert client["fetch.wait.max.ms"] == "6"
    assert "key.deserializer" not in client


@pytest.mark.parametrize(("given", "expected"), [({}, 20), ({"fetch.wait.max.ms": "7"}, "7"), ({"fetch.max.wait.ms": "8"}, "8")])
def test_how_long_a_fetch_waits_is_the_tables_choice(given: dict[str, str], expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(cluster_module, "Consumer", made.append)
    Cluster({"bootstrap.servers": "127.0.0.1:1"} | given).consumer({}, ClientErrors(), fetch_wait=20)
    assert [properties["fetch.wait.max.ms"] for properties in made] == [expected]


@pytest.mark.parametrize(("given", "expected"), [({}, 20), ({"fetch.queue.backoff.ms": "7"}, "7")])
def test_a_client_whose_queue_was_full_fetches_soon_again(given: dict[str, str], expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(cluster_module, "Consumer", made.append)
    Cluster({"bootstrap.servers": "127.0.0.1:1"} | given).consumer({}, ClientErrors())
    assert [properties["fetch.queue.backoff.ms"] for properties in made] == [expected]


def test_the_time_limit_is_in_seconds() -> None:
    assert cluster_of().timeout == 60.0
    assert cluster_of(default_api_timeout_ms="1500").timeout == 1.5


def test_the_text_of_a_cluster_has_no_properties() -> None:
    assert "secret" not in repr(cluster_of(sasl_password="secret"))


def test_a_property_with_a_file_of_java_names_the_other_one() -> None:
    with pytest.raises(ValidationException) as caught:
        cluster_of(ssl_truststore_location="/a.jks").check("a table")
    assert "ssl.ca.location" in (caught.value.hint or "")
