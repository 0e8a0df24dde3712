"""Unbounded queries over Kafka: `python benchmarks/unbounded_kafka.py [--rows 2000000] [--seconds 20] [--smoke]`.

Throughput: a topic of JSON messages is read by an INSERT into `blackhole`, with epochs of a second. The CPU time of this process, all threads together, counts, because the broker and other programs
share the machine; two cores can do twice as much as one processor second if no thread waits. Targets: 400,000 rows per second on two cores stateless, 250,000 with a keyed aggregate.
Latency: a thread sends 1,000 messages a second, ten at a time, and a keyed aggregate is collected. The time from the sending of a message to its row, p50 (target 20 ms) and p99 (100 ms), includes the
client, the broker and the threads of this process, which hold one lock of the interpreter. The line before it is that of the client and the broker alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from confluent_kafka import Consumer, Producer, TopicPartition
from harness.kafka_broker import new_topic, running_broker

from table_api import EnvironmentSettings, TableEnvironment

KEYS = 1_000
QUERIES = {
    "stateless": ("id BIGINT, w BIGINT", "SELECT id, v * 2 + 1 FROM g WHERE k < 900", 400_000),
    "keyed aggregate": ("k INT, n BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED", "SELECT k, COUNT(*), SUM(v) FROM g GROUP BY k", 250_000),
}
PERIOD = 0.01
PER_PERIOD = 10
FETCH_WAIT = 20
"""Milliseconds, of the client alone, as the connector's default: the broker that runs here answers a fetch only at the end of its wait, not when a message comes as Kafka's does."""


def main() -> None:
    """Starts the broker, and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the latency is measured")
    parser.add_argument("--port", type=int, default=29_093)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.rows, arguments.seconds = 20_000, 1.0
    with running_broker(arguments.port) as servers:
        topic = new_topic(servers)
        send(servers, topic, arguments.rows)
        for name in QUERIES:
            print_throughput(name, servers, topic, arguments.rows)
        print_client_latency(servers, arguments.seconds)
        print_latency(servers, arguments.seconds)
    print(f"load {os.getloadavg()[0]:.1f}")


def send(servers: str, topic: str, rows: int) -> None:
    """Fills a topic of two partitions."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000, "log_level": 0})
    for number in range(rows):
        producer.produce(topic, b'{"id":%d,"k":%d,"v":%d}' % (number, number % KEYS, number % 997), partition=number % 2)
        if not number % 100_000:
            producer.flush(120)  # the queue of the client has room for more
    producer.flush(120)


def environment(servers: str, topic: str, columns: str) -> TableEnvironment:
    """Returns an environment with the topic as the table ``g``."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    env.execute_sql(
        f"CREATE TABLE g ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{servers}',"
        f" 'format' = 'json', 'scan.startup.mode' = 'earliest-offset')"
    )
    return env


def print_throughput(name: str, servers: str, topic: str, rows: int) -> None:
    """Reads the whole topic with a query that continues."""
    columns, query, target = QUERIES[name]
    with environment(servers, topic, "id BIGINT, k INT, v BIGINT") as env:
        env.execute_sql(f"CREATE TABLE o ({columns}) WITH ('connector' = 'blackhole')")
        began, used = time.monotonic(), time.process_time()
        client = env.execute_sql(f"INSERT INTO o {query}").get_job_client()
        assert client is not None
        while client.get_metrics().get("Source[1].numRecordsOut", 0) < rows:
            if client.get_job_status().is_terminal_state():
                raise SystemExit(f"{name}: the job has ended before it had read {rows:,} rows")
            time.sleep(0.005)
        wall, used = time.monotonic() - began, time.process_time() - used
        client.end()
    print(
        f"{name:16} {rows / used:10,.0f} rows per processor second, so {2 * rows / used:10,.0f} on two cores (target {target:,}); "
        f"elapsed {rows / wall:10,.0f} rows/s, {used / wall:.0%} of a core",
        flush=True,
    )


@contextmanager
def steady_messages(servers: str, topic: str) -> Iterator[None]:
    """Sends 1,000 messages a second, each with the time at which it was sent."""
    has_ended = threading.Event()

    def produce() -> None:
        producer = Producer({"bootstrap.servers": servers, "linger.ms": 0, "log_level": 0})
        number, due = 0, time.monotonic()
        while not has_ended.wait(max(0.0, due - time.monotonic())):
            for _ in range(PER_PERIOD):
                producer.produce(topic, b'{"k":%d,"t":%d}' % (number % KEYS, time.monotonic_ns()), partition=number % 2)
                number += 1
            producer.poll(0)
            due += PERIOD
        producer.flush(30)

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def print_client_latency(servers: str, seconds: float) -> None:
    """Reads messages with the client alone, as the connector's consumer does: what is left of the latency of a query is the time of this project."""
    topic = new_topic(servers)
    latencies: list[float] = []
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "b", "fetch.wait.max.ms": FETCH_WAIT, "enable.auto.commit": False, "log_level": 0}
    )
    consumer.assign([TopicPartition(topic, number, 0) for number in range(2)])
    with steady_messages(servers, topic):
        began = time.monotonic()
        while (passed := time.monotonic() - began) < seconds:
            message = consumer.poll(0.1)
            if message is not None and message.error() is None and passed > min(3.0, seconds / 2):
                latencies.append((time.monotonic_ns() - json.loads(message.value())["t"]) / 1e6)
    consumer.close()
    cuts = statistics.quantiles(latencies, n=100)
    print(
        f"client, broker   p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, of {len(latencies):,} messages read with the client alone",
        flush=True,
    )


def print_latency(servers: str, seconds: float) -> None:
    """Sends rows at a steady rate, and compares the time of each result with that at which its last row was sent."""
    topic = new_topic(servers)
    latencies: list[float] = []
    seen: set[int] = set()
    with environment(servers, topic, "k INT, t BIGINT") as env:
        result = env.execute_sql("SELECT k, COUNT(*), MAX(t) AS t FROM g GROUP BY k")
        batches = result.to_batches(timeout=seconds + 5.0)
        with steady_messages(servers, topic):
            began = time.monotonic()
            for exported in batches:
                now = time.monotonic_ns()
                batch: Any = pa.record_batch(exported)
                new = set(batch.column("t").to_pylist()) - seen  # the rows before an update have the times of earlier rows
                seen |= new
                if time.monotonic() - began > min(3.0, seconds / 2):  # without the start
                    latencies += [(now - sent) / 1e6 for sent in new]
                if time.monotonic() - began > seconds:
                    break
    cuts = statistics.quantiles(latencies, n=100)
    print(
        f"latency          p50 {cuts[49]:.1f} ms (target 20), p99 {cuts[98]:.1f} ms (target 100), of {len(latencies):,} rows at 1,000 rows/s",
        flush=True,
    )


if __name__ == "__main__":
    main()
