"""Offsets as JSON, the partitions of topics, and why their lookup fails."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from contextlib import suppress

import pytest
from kafka_brokers import new_topic, servers
from kafka_tables import case_of, options_of, source_of

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors
from connector_kafka.topics import Partition, Topics, each, ids_of, positions_of
from table_common.exceptions import TableRuntimeException, ValidationException

OFFSETS: dict[Partition, int] = {("orders", 0): 12, ("orders", 1): 7, ("rates", 0): 3}
NUMBERS = case_of("id BIGINT")
_API_VERSIONS, _HANDSHAKE, _AUTHENTICATE = 18, 17, 36


class RefusingBroker:
    """Speaks as much of the protocol as a client needs to learn that its password is wrong."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    @staticmethod
    def _serve(connection: socket.socket) -> None:
        # A client that is refused may reset the connection.
        with suppress(ConnectionError), connection, connection.makefile("rb") as requests:
            while len(size := requests.read(4)) == 4:
                request = requests.read(struct.unpack(">i", size)[0])
                key, version, correlation = struct.unpack_from(">hhi", request)
                if key == _API_VERSIONS:
                    known = ((_API_VERSIONS, 0), (_HANDSHAKE, 1), (_AUTHENTICATE, 0))
                    versions = b"".join(struct.pack(">hhh", api, 0, latest) for api, latest in known)
                    answer = struct.pack(">hi", 35 if version else 0, len(known)) + versions  # 35: only version 0 is supported
                elif key == _HANDSHAKE:
                    answer = struct.pack(">hih", 0, 1, 5) + b"PLAIN"
                else:
                    text = b"Authentication failed: Invalid username or password"
                    answer = struct.pack(">hh", 58, len(text)) + text + struct.pack(">i", 0)
                connection.sendall(struct.pack(">ii", len(answer) + 4, correlation) + answer)


def test_a_wrong_password_is_the_users_fault_and_found_before_the_time_limit() -> None:
    login = {
        "properties.security.protocol": "SASL_PLAINTEXT",
        "properties.sasl.mechanism": "PLAIN",
        "properties.sasl.username": "somebody",
        "properties.sasl.password": "a secret",
        "properties.bootstrap.servers": RefusingBroker().address,
    }
    begin = time.monotonic()
    with pytest.raises(ValidationException) as caught:
        source_of(NUMBERS, options_of("tansu", "orders") | login).initial_offset()
    assert time.monotonic() - begin < 15
    assert "refuses the client: " in caught.value.message
    assert "Invalid username or password" in caught.value.message
    assert "a secret" not in caught.value.message
    assert "'properties.sasl.password'" in (caught.value.hint or "")


def test_the_reason_of_a_missing_connection_is_in_the_error() -> None:
    options = options_of("tansu", "orders", properties__default__api__timeout__ms="1500") | {"properties.bootstrap.servers": "127.0.0.1:1"}
    with pytest.raises(TableRuntimeException, match=r"Kafka at 127\.0\.0\.1:1 cannot be reached: .*Connection refused"):
        source_of(NUMBERS, options).initial_offset()


def test_offsets_keep_their_values_and_the_ids_of_topics() -> None:
    positions = json.loads(json.dumps(positions_of(OFFSETS, {"orders": "AaIe", "other": "BbIf"})))
    assert positions == {"orders": {"0": 12, "1": 7, "id": "AaIe"}, "rates": {"0": 3}}
    assert dict(each(positions)) == OFFSETS
    assert ids_of(positions) == {"orders": "AaIe"}


def test_offsets_of_earlier_versions_have_no_ids() -> None:
    positions = positions_of(OFFSETS)
    assert positions == {"orders": {"0": 12, "1": 7}, "rates": {"0": 3}}
    assert ids_of(positions) == {}


def test_a_topic_that_does_not_exist_is_an_error_with_similar_names() -> None:
    topic = new_topic("tansu", 2)
    cluster = Cluster({"bootstrap.servers": servers("tansu")})
    consumer = cluster.consumer({}, ClientErrors())
    assert Topics((topic,)).partitions(consumer, cluster, ClientErrors()) == [(topic, 0), (topic, 1)]
    with pytest.raises(ValidationException, match=rf"{topic}x"):
        Topics((f"{topic}x",)).partitions(consumer, cluster, ClientErrors())
    consumer.close()
