"""The lookup of topics, and why it fails."""

from __future__ import annotations

import socket
import struct
import threading
import time

import pytest
from kafka_tables import case_of, options_of, source_of

from table_common.exceptions import TableRuntimeException, ValidationException

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
        with connection, connection.makefile("rb") as requests:
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
