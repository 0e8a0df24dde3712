"""The connections of commits: kept after a success, given up after a failure."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from confluent_kafka import KafkaError
from kafka_brokers import new_topic, produce, servers, stored, values_of

from connector_kafka import commit_client as commit_client_module
from connector_kafka.cluster import Cluster
from connector_kafka.commit_client import commit_client
from table_common.exceptions import TableRuntimeException


def cluster_of(**properties: str) -> Cluster:
    return Cluster({"bootstrap.servers": servers("tansu"), "client.id": "test_commit_client"} | properties)


def test_a_client_is_used_again_unless_its_commit_failed() -> None:
    cluster, topic = cluster_of(), new_topic("tansu", 1)
    with commit_client(cluster, "exactly-once") as first:
        first.producer(topic).produce(topic, b"a", partition=0)
        first.flush("here")
    with suppress(KeyError), commit_client(cluster, "exactly-once") as again:
        assert again is first
        raise KeyError("of the test")
    with commit_client(cluster, "exactly-once") as other:
        assert other is not first
        other.producer(topic).produce(topic, b"b", partition=0)
        other.flush("here")
    assert values_of(stored("tansu", topic)) == [b"a", b"b"]


def test_the_last_clients_are_kept() -> None:
    clients = []
    for number in range(commit_client_module._MOST_CLIENTS + 2):
        with commit_client(cluster_of(), "transactional", f"transaction-{number}") as client:
            clients.append(client)
    kept = list(commit_client_module._idle.values())
    assert kept == clients[2:]


def test_the_end_of_partitions_is_read_from_the_earlier_of_two_offsets() -> None:
    topic = new_topic("tansu", 2)
    produce("tansu", topic, [b"%d" % number for number in range(10)])
    with commit_client(cluster_of(), "exactly-once") as client:
        for begin, least, found in ((8, 1, 2), (10, 3, 3), (10, 0, 0), (0, 100, 10)):
            assert len(list(client.tail({(topic, 0): begin, (topic, 1): 0}, least))) == found


def test_a_message_that_the_broker_refuses_is_an_error() -> None:
    topic = new_topic("tansu", 1)
    with suppress(TableRuntimeException), commit_client(cluster_of(), "exactly-once") as client:
        client.producer(topic).produce(topic, b"a", partition=0)
        refused: Any = client
        refused._delivered(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE), None)
        with pytest.raises(TableRuntimeException, match=r"Writing: Kafka at .* reports an error: .*MSG_SIZE_TOO_LARGE"):
            client.flush("Writing")
