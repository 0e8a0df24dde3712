"""Where the tables of `kill_stream.py` are: in files and SQLite, with servers in Kafka and PostgreSQL, on an object store, or in a streaming DataFrame."""

from __future__ import annotations

import atexit
import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from table_api import Schema, StatementSet, TableEnvironment
from table_testing.line_log import append_lines

__all__ = ["FOLLOWS", "Frames", "Local", "Objects", "Servers", "places_of"]

PARTITIONS = 3
FOLLOWS = "KILL_STREAM_SERVERS"
"""The variable by which the processes that are killed know the servers."""
ON_OBJECTS = "KILL_STREAM_OBJECTS"
"""The variable by which they know the URL of the folder on an object store."""
AS_FRAMES = "KILL_STREAM_FRAMES"
"""The variable by which they know that orders are a streaming DataFrame."""
SERVER = """
import logging, time
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
while True:
    time.sleep(60)
"""
"""The program of a server of S3 that keeps objects in memory, at a free port."""
MODULES = (
    "table_runtime.planner.planner",
    "table_runtime.planner.streaming.job",
    "table_runtime.connectors.filesystem",
    "pyarrow.compute",
)
ORDERS = "k INT, v BIGINT, t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 0), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
TOTALS = "k INT, n BIGINT, v BIGINT, rate INT"


class Local:
    """Orders in files of lines, current rows in SQLite."""

    has_changes = False
    """Whether the changes go to Kafka."""
    pause = 0.03
    """Seconds between two looks."""
    random_seconds = (0.5, 6.0)
    """After how many seconds a process is killed at random, at the earliest and at the latest."""
    limit_seconds = 120.0
    """How long is waited for a point of an epoch, and for the rows at the end."""
    modules: tuple[str, ...] = MODULES
    """What the processes that are killed import before they are made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> str:
        """Returns the path of a folder of files."""
        return str(self.folder / name)

    def exists(self, name: str) -> bool:
        """Returns whether a folder of files exists."""
        return (self.folder / name).exists()

    def external(self, master: str) -> dict[str, object]:
        """Returns what the environment of the job is given; ``master`` is that of Spark."""
        return {}

    def create(self) -> None:
        """Creates what the connectors do not create."""
        with sqlite3.connect(self.folder / "rows.db") as database:
            database.execute("CREATE TABLE current_rows (k INTEGER PRIMARY KEY, n INTEGER, v INTEGER, rate INTEGER)")

    def define(self, env: TableEnvironment, *, streaming: bool) -> None:
        """Creates the tables in an environment."""
        env.execute_sql(f"CREATE TABLE orders ({ORDERS}) WITH ('connector' = 'values', 'data-id' = 'orders')")
        env.execute_sql(
            f"CREATE TABLE current_rows ({TOTALS}, PRIMARY KEY (k) NOT ENFORCED) "
            f"WITH ('connector' = 'sqlite', 'path' = '{self.folder / 'rows.db'}', 'table-name' = 'current_rows')"
        )

    def add_inserts(self, statements: StatementSet) -> None:
        """Adds statements of which only this place has the tables."""

    def add_orders(self, partition: int, rows: Sequence[Sequence[int]]) -> None:
        """Appends orders to a partition."""
        append_lines(self.folder / "orders", str(partition), rows)

    def current_rows(self) -> Counter[str]:
        """Returns the rows of the table of current rows."""
        with sqlite3.connect(self.folder / "rows.db") as database:
            return Counter(",".join(map(str, row)) for row in database.execute("SELECT k, n, v, rate FROM current_rows"))

    def changes(self) -> Counter[str]:
        """Returns the rows that the changes in Kafka make, those that are there too often or too seldom included."""
        return Counter()


class Servers(Local):
    """Orders in Kafka, current rows in PostgreSQL, and the changes of the totals in Kafka, too."""

    has_changes = True

    def __init__(self, folder: Path, names: dict[str, str] | None = None) -> None:
        super().__init__(folder)
        for connector in ("kafka", "jdbc"):
            sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / f"connector-{connector}" / "tests"))
        if names is None:
            import kafka_brokers
            import postgres_server

            names = {
                "kafka": kafka_brokers.servers("tansu"),
                "orders": kafka_brokers.new_topic("tansu", PARTITIONS),
                "changes": kafka_brokers.new_topic("tansu", PARTITIONS),
                "url": postgres_server.server_url(),
            }
            os.environ[FOLLOWS] = json.dumps(names)
        self._names = names

    def create(self) -> None:
        import postgres_server

        postgres_server.run("CREATE TABLE current_rows (k INT PRIMARY KEY, n BIGINT, v BIGINT, rate INT)")

    def define(self, env: TableEnvironment, *, streaming: bool) -> None:
        names = self._names
        kafka = f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{names['kafka']}', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'"
        if not streaming:
            kafka += ", 'scan.bounded.mode' = 'latest-offset'"
        env.execute_sql(f"CREATE TABLE orders ({ORDERS}) WITH ({kafka}, 'topic' = '{names['orders']}')")
        env.execute_sql(f"CREATE TABLE kafka_changes (op STRING, {TOTALS}) WITH ({kafka}, 'topic' = '{names['changes']}')")
        env.execute_sql(
            f"CREATE TABLE current_rows ({TOTALS}, PRIMARY KEY (k) NOT ENFORCED) "
            f"WITH ('connector' = 'jdbc', 'url' = '{names['url']}', 'table-name' = 'current_rows')"
        )

    def add_inserts(self, statements: StatementSet) -> None:
        statements.add_insert_sql("INSERT INTO kafka_changes SELECT * FROM TO_CHANGELOG(TABLE joined)")

    def add_orders(self, partition: int, rows: Sequence[Sequence[int]]) -> None:
        import kafka_brokers

        messages = [json.dumps(dict(zip("kvt", row, strict=True))).encode() for row in rows]
        kafka_brokers.produce(self._names["kafka"], self._names["orders"], messages, partition)

    def current_rows(self) -> Counter[str]:
        import postgres_server

        return Counter(",".join(map(str, row)) for row in postgres_server.run("SELECT k, n, v, rate FROM current_rows"))

    def changes(self) -> Counter[str]:
        import kafka_brokers

        counts = Counter[str]()
        for message in kafka_brokers.stored(self._names["kafka"], self._names["changes"]):
            row = json.loads(message.value())
            counts[",".join(str(row[name]) for name in ("k", "n", "v", "rate"))] += 1 if row["op"] in ("INSERT", "UPDATE_AFTER") else -1
        return Counter({row: count for row, count in counts.items() if count})


class Objects(Local):
    """Files, checkpoints and a watched folder of orders on S3, current rows in SQLite."""

    pause = 0.5
    random_seconds = (0.5, 10.0)
    limit_seconds = 600.0
    modules = (*MODULES, "s3fs", "aiobotocore.session", "botocore.auth", "botocore.endpoint", "aiohttp")

    def __init__(self, folder: Path, url: str | None = None) -> None:
        import fsspec

        super().__init__(folder)
        self._files = 0
        self._url = url or f"s3://kills/{folder.name}"
        if url is None:
            os.environ[ON_OBJECTS] = self._url
            if "AWS_ENDPOINT_URL" not in os.environ:
                keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
                os.environ.update(keys, AWS_ENDPOINT_URL=self._start())
        self._system = fsspec.filesystem("s3", use_listings_cache=False)

    def _start(self) -> str:
        self._server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
        atexit.register(self._server.kill)
        assert self._server.stdout is not None
        return self._server.stdout.readline().strip()

    def path(self, name: str) -> str:
        return f"{self._url}/{name}"

    def exists(self, name: str) -> bool:
        return bool(self._system.find(self.path(name)))

    def create(self) -> None:
        super().create()
        if not self._system.exists("kills"):
            self._system.mkdir("kills")

    def define(self, env: TableEnvironment, *, streaming: bool) -> None:
        super().define(env, streaming=streaming)
        env.execute_sql("DROP TABLE orders")
        watched = ", 'source.monitor-interval' = '100 ms'" if streaming else ""
        env.execute_sql(
            f"CREATE TABLE orders ({ORDERS}) WITH ('connector' = 'filesystem', 'path' = '{self.path('orders')}', 'format' = 'csv'{watched})"
        )

    def add_orders(self, partition: int, rows: Sequence[Sequence[int]]) -> None:
        """Adds a file of orders."""
        content = "".join(",".join(map(str, row)) + "\n" for row in rows)
        self._system.pipe_file(self.path(f"orders/{self._files:06}.csv"), content.encode())
        self._files += 1


class Frames(Local):
    """Orders in files, which a streaming DataFrame of Spark reads, at most 50 for each batch."""

    pause = 0.5
    limit_seconds = 300.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        os.environ[AS_FRAMES] = "1"
        self._files = 0

    def create(self) -> None:
        super().create()
        (self.folder / "orders").mkdir()

    def external(self, master: str) -> dict[str, object]:
        from table_planner_spark import local_session

        return {"spark": local_session(master, {"spark.python.daemon.module": "killing_daemon"})}

    def define(self, env: TableEnvironment, *, streaming: bool) -> None:
        super().define(env, streaming=streaming)
        env.execute_sql("DROP TABLE orders")
        if not streaming:
            env.execute_sql(
                f"CREATE TABLE orders ({ORDERS}) WITH ('connector' = 'filesystem', 'path' = '{self.path('orders')}', 'format' = 'csv')"
            )
            return
        from table_api_bridge import SparkTableEnvironment
        from table_planner_spark import local_session

        reader = local_session().readStream.schema("k INT, v BIGINT, t BIGINT").option("maxFilesPerTrigger", 50)
        builder = Schema.new_builder().column("k", "INT").column("v", "BIGINT").column("t", "BIGINT")
        schema = builder.column_by_expression("ts", "TO_TIMESTAMP_LTZ(t, 0)").watermark("ts", "ts - INTERVAL '5' SECOND").build()
        orders = SparkTableEnvironment(env.session).from_data_frame(reader.csv(self.path("orders")), schema)
        env.create_temporary_view("orders", orders)

    def add_orders(self, partition: int, rows: Sequence[Sequence[int]]) -> None:
        """Adds a file of orders."""
        hidden = self.folder / "orders" / f".{self._files:06}"
        hidden.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
        os.utime(
            hidden, (1_700_000_000 + self._files,) * 2
        )  # Spark reads files in the order of these times: equal ones could make rows late
        hidden.rename(self.folder / "orders" / f"{self._files:06}.csv")
        self._files += 1


def places_of(folder: Path) -> Local:
    """Returns the places in a process that is killed, and for the look at its tables."""
    if ON_OBJECTS in os.environ:
        return Objects(folder, os.environ[ON_OBJECTS])
    if AS_FRAMES in os.environ:
        return Frames(folder)
    return Servers(folder, json.loads(os.environ[FOLLOWS])) if FOLLOWS in os.environ else Local(folder)
