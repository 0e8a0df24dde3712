"""Kills writers of Kafka, and cuts their connections: `python proofs/kill_kafka.py [--points 50] [--cuts 10] [--guarantee transactional] [--seed N]`.

A topic contains old rows. A process writes 600 new rows in two tasks, commits, and is killed by SIGKILL: at a call of a Python or C function within the commit, or at a random time while
messages are produced. Then no row may be in the topic twice. The job is repeated with the same id: writers and commit, or only the commit if the killed process had
prepared its messages; the commit is then repeated once more. After that the topic must have every row once, and no file of the commit may be left. This is done for the
connectors `kafka` and `upsert-kafka`; for the second, the last row of each key must be the new one.

In the second part the connections to the broker go through a proxy, which cuts them all at random times of commits; the commit continues or is repeated.

The broker itself is not killed. Tansu keeps its data in memory, and a kill loses the topic. Over an object store (`--storage-engine s3://…`, tried with moto's server) it keeps the topic, but
notes the sequence of a batch before it stores the batch: an idempotent producer alone, whose repeated batch it then takes for a duplicate, lost 20 of 600 acknowledged rows in 3 of 16 kills.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "connector-kafka" / "tests"))

from kafka_brokers import Tansu, new_topic, produce, servers, stored
from kafka_tables import case_of, options_of, sink_of

from connector_kafka.committing import KafkaCommitter
from table_common.connector import CommitContext
from table_common.exceptions import TableError
from table_testing import write_rows

PROCESSES = multiprocessing.get_context("forkserver")
"""Processes that have imported everything and have no connection."""
COUNT = 600
NEW = [(number, f"new {number}") for number in range(COUNT)]
COMMON = {"properties__linger__ms": "0", "properties__batch__num__messages": "20"}
"""The options of all sinks."""
COLUMNS = "id BIGINT NOT NULL, name STRING"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--guarantee", choices=("exactly-once", "transactional"), default="exactly-once")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    PROCESSES.set_forkserver_preload(
        ["connector_kafka.committing", "connector_kafka.writing", "kafka_tables", "table_runtime.formats.json.messages"]
    )
    print(f"seed {arguments.seed}", flush=True)
    COMMON["sink__delivery_guarantee"] = arguments.guarantee
    chosen = random.Random(arguments.seed)
    for is_upsert in (False, True):
        kill_writers(is_upsert, arguments.points, chosen)
    cut_connections(arguments.cuts, chosen)


def provider_of(topic: str, folder: str, is_upsert: bool, address: str) -> Any:
    """Returns the provider of a sink that sends small requests, so that a commit has many."""
    case = case_of(COLUMNS, ("id",) if is_upsert else ())
    options = options_of("tansu", topic, is_upsert=is_upsert, sink__staging_directory=folder, **COMMON) | {
        "properties.bootstrap.servers": address
    }
    return sink_of(case, options)


def messages_of(provider: Any) -> list[Any]:
    """Writes the new rows in two tasks."""
    return write_rows(provider, provider.row_type, [NEW[0::2], NEW[1::2]])


def counts(topic: str) -> Counter[bytes]:
    """Returns how often each new row is in the topic."""
    return Counter(message.value() or b"" for message in stored("tansu", topic) if b"new" in (message.value() or b""))


def check(topic: str, folder: str, is_upsert: bool, point: object) -> None:
    """Checks that each new row is in the topic once, and that no file is left."""
    found = counts(topic)
    assert len(found) == COUNT, f"point {point}: {len(found)} rows"
    assert set(found.values()) == {1}, f"point {point}: {[row for row in found.items() if row[1] > 1][:5]} are repeated"
    assert not list(Path(folder).iterdir()), f"point {point}: files are left"
    if is_upsert:
        last = {message.key(): message.value() for message in stored("tansu", topic)}
        assert all(b"new" in (value or b"") for value in last.values()), f"point {point}: an old row is the last one of its key"


def kill_writers(is_upsert: bool, points: int, chosen: random.Random) -> None:
    """Kills a process at each point, and checks the topic before and after the repetition."""
    ended = prepared = partly = 0
    calls, seconds = measured(is_upsert)
    for number in range(points):
        topic = topic_with_old_rows(is_upsert)
        with tempfile.TemporaryDirectory() as folder:
            provider = provider_of(topic, folder, is_upsert, servers("tansu"))
            point = -chosen.uniform(0.0, seconds) if number % 2 else float(chosen.randrange(calls))
            receiving, sending = PROCESSES.Pipe(duplex=False)
            process = PROCESSES.Process(target=write_and_die, args=(provider, point, sending), daemon=True)
            process.start()
            sending.close()
            repeated = None
            with suppress(EOFError):
                repeated = receiving.recv()
            process.join()
            assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
            ended += process.exitcode == 0
            found = counts(topic)
            assert not found or max(found.values()) == 1, f"point {point}: rows are repeated after the kill"
            partly += 0 < len(found) < COUNT
            prepared += repeated is not None
            messages = messages_of(provider) if repeated is None else repeated
            for _ in range(2):
                provider.create_committer(CommitContext("job")).commit(messages)
            check(topic, folder, is_upsert, point)
    name = "upsert-kafka" if is_upsert else "kafka"
    print(
        f"{name}: {points} points; {prepared} after the preparation, {partly} with a part of the rows, {ended} ended before: each row once after the repetition",
        flush=True,
    )


def topic_with_old_rows(is_upsert: bool) -> str:
    """Creates a topic of three partitions with old rows; those of keys are written by the sink, so that they are in the partitions of their keys."""
    topic = new_topic("tansu")
    if not is_upsert:
        produce("tansu", topic, [b'{"id": 1, "name": "old"}'] * 20)
        return topic
    with tempfile.TemporaryDirectory() as folder:
        provider = provider_of(topic, folder, True, servers("tansu"))
        messages = write_rows(provider, provider.row_type, [[(number, "old") for number in range(0, COUNT, 10)]], "before")
        provider.create_committer(CommitContext("before")).commit(messages)
    return topic


def measured(is_upsert: bool) -> tuple[int, float]:
    """Returns the number of calls of an uninterrupted commit, and the seconds from its first message on."""
    with tempfile.TemporaryDirectory() as folder:
        provider = provider_of(new_topic("tansu"), folder, is_upsert, servers("tansu"))
        committer = provider.create_committer(CommitContext("job"))
        messages = messages_of(provider)
        calls = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            committer.commit(messages)
        finally:
            sys.setprofile(None)
        times: list[float] = []
        original = KafkaCommitter._send_rows

        def timed(self: Any, *arguments: Any) -> None:
            times.append(time.monotonic())
            original(self, *arguments)

        other = provider_of(new_topic("tansu"), folder, is_upsert, servers("tansu"))
        messages = messages_of(other)
        KafkaCommitter._send_rows = timed  # type: ignore[method-assign]
        try:
            other.create_committer(CommitContext("job")).commit(messages)
        finally:
            KafkaCommitter._send_rows = original  # type: ignore[method-assign]
        return calls, time.monotonic() - times[0]


def write_and_die(provider: Any, point: float, sending: Any) -> None:
    """Writes and commits; dies at a call of the commit, or, if ``point`` is negative, that number of seconds after its first message."""
    messages = messages_of(provider)
    sending.send(messages)
    committer = provider.create_committer(CommitContext("job"))
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1
        if calls >= point:
            os.kill(os.getpid(), signal.SIGKILL)

    if point >= 0:
        sys.setprofile(count)
    else:
        original = KafkaCommitter._send_rows

        def timed(self: Any, *arguments: Any) -> None:
            if not timer.is_alive():
                timer.start()
            original(self, *arguments)

        timer = threading.Timer(-point, os.kill, (os.getpid(), signal.SIGKILL))
        timer.daemon = True
        KafkaCommitter._send_rows = timed  # type: ignore[method-assign]
    committer.commit(messages)


class Proxy:
    """Passes connections on to a broker, and cuts them."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.target: tuple[str, int] | None = None
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Closes all connections; new ones are accepted."""
        with self._lock:
            connections, self._open = self._open, []
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            try:
                assert self.target is not None
                broker = socket.create_connection(self.target, 5)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open += [client, broker]
            for source, target in ((client, broker), (broker, client)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        for connection in (source, target):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def cut_connections(cuts: int, chosen: random.Random) -> None:
    """Cuts the connections while messages are produced, and checks the topic after the commit was repeated."""
    proxy = Proxy()
    broker = Tansu(advertised=proxy.address)
    proxy.target = (broker.servers.split(":")[0], int(broker.servers.split(":")[1]))
    failed = 0
    original = KafkaCommitter._send_rows
    try:
        for _ in range(cuts):
            topic = new_topic(broker.servers)
            with tempfile.TemporaryDirectory() as folder:
                provider = provider_of(topic, folder, False, proxy.address)
                messages = messages_of(provider)
                seconds = chosen.uniform(0.0, 0.3)

                def send(self: Any, *arguments: Any, seconds: float = seconds) -> None:
                    if not hasattr(self, "cut"):
                        self.cut = threading.Timer(seconds, proxy.cut)
                        self.cut.start()
                    original(self, *arguments)

                KafkaCommitter._send_rows = send  # type: ignore[method-assign]
                try:
                    provider.create_committer(CommitContext("job")).commit(messages)
                except TableError:
                    failed += 1
                    KafkaCommitter._send_rows = original  # type: ignore[method-assign]
                    provider.create_committer(CommitContext("job")).commit(messages)
                found = Counter(message.value() or b"" for message in stored(broker.servers, topic))
                assert len(found) == COUNT, f"after {seconds} s: {len(found)} rows"
                repeated = sum(count - 1 for count in found.values())
                assert not repeated, f"after {seconds} s: {repeated} rows are repeated"
        print(f"connections: {cuts} cuts, {failed} commits were repeated: each row once", flush=True)
    finally:
        KafkaCommitter._send_rows = original  # type: ignore[method-assign]
        broker.kill()


if __name__ == "__main__":
    main()
