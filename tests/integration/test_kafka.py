"""SQL over topics of Kafka on both engines: the same rows as of plain tables, keys, metadata, changes, and a round trip over PostgreSQL and Parquet."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "connector-kafka" / "tests"))
sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "connector-jdbc" / "tests"))

from kafka_brokers import new_topic, produce, servers, stored

from connector_kafka import KafkaTableFactory, UpsertKafkaTableFactory
from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, ValidationException
from table_testing import SqlCompliance

PACKAGES = Path(__file__).parents[2] / "packages"
Rows = Sequence[tuple[Any, ...]]
ROWS = ((1, "one", 1.5), (2, None, 2.5), (4, "O'Neil_%*?[\\", -0.5), (7, "One", None), (1 << 62, "", 1e300))
NAMES = ("id", "name", "amount")


class TestKafka(SqlCompliance):
    """Uses the session that all tests of the process share."""

    factory = KafkaTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    rows = ROWS
    engines: ClassVar[tuple[str, ...] | None] = ("arrow", "spark")

    @pytest.fixture(autouse=True)
    def _shared_session(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(SqlCompliance, "external", {"spark": {"spark": request.getfixturevalue("spark")}})

    def queries(self) -> list[str]:
        return super().queries()[:8]  # no condition is pushed down

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        topic = new_topic("tansu")
        for number, row in enumerate(rows):
            produce("tansu", topic, [json.dumps(dict(zip(NAMES, row, strict=True))).encode()], number % 2)
        return {**connection(topic), "format": "json", "scan.startup.mode": "earliest-offset", "sink.staging-directory": str(folder)}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        rows = [json.loads(message.value() or b"") for message in stored("tansu", options["topic"])]
        return [tuple(row[name] for name in NAMES) for row in rows]


class TestUpsertKafka(TestKafka):
    factory = UpsertKafkaTableFactory
    primary_key = ("id",)

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        topic = new_topic("tansu")
        for number, row in enumerate(rows):
            key = json.dumps({"id": row[0]}).encode()
            for version in ((row[0], "an earlier row", 0.0), row):
                produce("tansu", topic, [json.dumps(dict(zip(NAMES, version, strict=True))).encode()], number % 2, key=key)
        produce("tansu", topic, [b'{"id": 99, "name": "deleted"}', None], 0, key=b'{"id": 99}')
        return {**connection(topic), "key.format": "json", "value.format": "json", "sink.staging-directory": str(folder)}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        last: dict[bytes | None, bytes | None] = {}
        for message in stored("tansu", options["topic"]):
            last[message.key()] = message.value()
        rows = [json.loads(value) for value in last.values() if value is not None]
        return [tuple(row[name] for name in NAMES) for row in rows]


def connection(topic: str) -> dict[str, str]:
    return {"topic": topic, "properties.bootstrap.servers": servers("tansu"), "scan.bounded.mode": "latest-offset"}


@pytest.fixture(params=["arrow", "spark"])
def environment(request: pytest.FixtureRequest) -> Iterator[TableEnvironment]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(request.param).build()
    external = {"spark": request.getfixturevalue("spark")} if request.param == "spark" else None
    with TableEnvironment.create(settings, external=external) as environment:
        environment.get_config().set("table.dml-sync", "true")
        yield environment


def declare(environment: TableEnvironment, name: str, columns: str, topic: str, connector: str = "kafka", **options: str) -> None:
    given = {"connector": connector, **connection(topic), **({"scan.startup.mode": "earliest-offset"} if connector == "kafka" else {})}
    given |= {key.replace("__", "-"): value for key, value in options.items()}
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    environment.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({pairs})")


def rows_of(environment: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in environment.execute_sql(query).collect()), key=repr)


def test_the_example_of_the_readme_runs(
    environment: TableEnvironment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = PACKAGES / "connector-kafka" / "README.md"
    (example,) = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    here = example.replace("localhost:9092", servers("tansu")).replace("'topic' = 'orders'", f"'topic' = '{new_topic('tansu')}'")
    assert here.count(servers("tansu")) == 1
    monkeypatch.setattr(TableEnvironment, "create", lambda settings: environment)
    exec(compile(here, str(readme), "exec"), {})
    assert "|  2 |   20.0 |" in capsys.readouterr().out


def test_the_example_of_the_guide_runs(environment: TableEnvironment) -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "kafka.md"
    (example,) = re.findall(r"^```sql\n(.*?)^```", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    here = example.replace("127.0.0.1:9092", servers("tansu")).replace("'topic' = 'orders'", f"'topic' = '{new_topic('tansu')}'")
    *first, query, _ = here.split(";")
    for statement in first:
        environment.execute_sql(statement)
    assert [row[:2] for row in rows_of(environment, query)] == [(1, 9.5), (2, 20.0)]


def test_keys_and_metadata_are_columns(environment: TableEnvironment) -> None:
    topic = new_topic("tansu")
    columns = (
        "k_id INT, id STRING, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', h MAP<STRING, BYTES> METADATA FROM 'headers', "
        "`topic` STRING METADATA VIRTUAL, o BIGINT METADATA FROM 'offset' VIRTUAL"
    )
    more = {
        "key.format": "csv",
        "key.fields": "k_id",
        "key.fields__prefix": "k_",
        "value.format": "json",
        "value.fields__include": "EXCEPT_KEY",
    }
    declare(environment, "t", columns, topic, **more)
    environment.execute_sql(
        "INSERT INTO t VALUES (5, 'five', TO_TIMESTAMP_LTZ(1700000000123, 3), MAP['a', X'01']), (6, CAST(NULL AS STRING), TO_TIMESTAMP_LTZ(1, 3), NULL)"
    )
    found = {(message.key(), message.value()) for message in stored("tansu", topic)}
    assert found == {(b"5", b'{"id":"five"}'), (b"6", b'{"id":null}')}
    read = rows_of(environment, "SELECT k_id, id, EXTRACT(MILLISECOND FROM ts), h, `topic` FROM t")
    assert read == [(5, "five", 123, {"a": b"\1"}, topic), (6, None, 1, {}, topic)]
    assert rows_of(environment, "SELECT COUNT(o) FROM t WHERE k_id > 5") == [(1,)]


def test_a_header_may_have_no_value(environment: TableEnvironment) -> None:
    topic = new_topic("tansu")
    declare(environment, "t", "id INT, h MAP<STRING, BYTES> METADATA FROM 'headers'", topic, format="json")
    environment.execute_sql("INSERT INTO t VALUES (1, MAP['a', X'01', 'b', CAST(NULL AS BYTES)])")
    (message,) = stored("tansu", topic)
    assert dict(message.headers() or ()).items() >= {"a": b"\1", "b": None}.items()
    assert rows_of(environment, "SELECT * FROM t") == [(1, {"a": b"\1", "b": b""})]


def test_changes_of_another_system_become_rows(environment: TableEnvironment) -> None:
    topic = new_topic("tansu")
    ada, grace = {"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace"}
    changes = [(None, ada, "c"), (None, grace, "c"), (ada, {"id": 1, "name": "Ada L."}, "u"), (grace, None, "d")]
    produce("tansu", topic, [json.dumps({"before": before, "after": after, "op": op}).encode() for before, after, op in changes])
    declare(environment, "t", "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED", topic, format="debezium-json")
    assert rows_of(environment, "SELECT * FROM t") == [(1, "Ada L.")]


def test_changes_are_written(environment: TableEnvironment) -> None:
    topic = new_topic("tansu")
    declare(environment, "t", "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED", topic, format="canal-json")
    environment.execute_sql("INSERT INTO t VALUES (1, 'Ada'), (2, NULL)")
    assert rows_of(environment, "SELECT * FROM t") == [(1, "Ada"), (2, None)]


def test_keys_and_values_have_schemas_in_a_registry(environment: TableEnvironment, tmp_path: Path) -> None:
    topic, url = new_topic("tansu"), tmp_path.as_uri()
    formats = {
        "key.format": "avro-confluent",
        "key.avro-confluent.url": url,
        "value.format": "avro-confluent",
        "value.avro-confluent.url": url,
    }
    declare(environment, "t", "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED", topic, "upsert-kafka", **formats)
    environment.execute_sql("INSERT INTO t VALUES (1, 'Ada'), (2, NULL)")
    assert rows_of(environment, "SELECT * FROM t") == [(1, "Ada"), (2, None)]
    assert {message.value()[:1] for message in stored("tansu", topic) if message.value()} == {b"\0"}


def protobuf_options() -> dict[str, str]:
    """Returns the options of a message type with three optional fields."""
    from google.protobuf import descriptor_pb2

    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="item.proto", package="shop", syntax="proto2")
    message = file.message_type.add(name="Item")
    kinds = descriptor_pb2.FieldDescriptorProto
    for number, (name, kind) in enumerate({"id": kinds.TYPE_INT64, "name": kinds.TYPE_STRING, "amount": kinds.TYPE_DOUBLE}.items(), 1):
        message.field.add(name=name, number=number, type=kind, label=kinds.LABEL_OPTIONAL)
    descriptor = base64.b64encode(files.SerializeToString()).decode()
    return {"protobuf.message-class-name": "shop.Item", "protobuf.descriptor-set": descriptor}


@pytest.mark.parametrize("format_", ["avro", "csv", "protobuf", "maxwell-json", "ogg-json"])
def test_values_of_a_format_are_written_and_read(environment: TableEnvironment, format_: str) -> None:
    topic = new_topic("tansu")
    more = protobuf_options() if format_ == "protobuf" else {}
    declare(environment, "t", "id BIGINT, name STRING, amount DOUBLE", topic, format=format_, **more)
    environment.execute_sql("INSERT INTO t VALUES (1, 'Ada', 0.5), (2, 'ü', CAST(NULL AS DOUBLE)), (4611686018427387904, 'Grace', -1e300)")
    assert rows_of(environment, "SELECT * FROM t") == [(1, "Ada", 0.5), (2, "ü", None), (1 << 62, "Grace", -1e300)]
    assert rows_of(environment, "SELECT name FROM t WHERE id > 1") == [("Grace",), ("ü",)]
    assert len(stored("tansu", topic)) == 3


ADA, LATER, GRACE = {"id": 1, "name": "Ada"}, {"id": 1, "name": "Ada L."}, {"id": 2, "name": "Grace"}
CHANGES: dict[str, list[dict[str, Any]]] = {
    "maxwell-json": [
        {"data": ADA, "type": "insert", "table": "people"},
        {"data": GRACE, "type": "insert"},
        {"data": LATER, "old": {"name": "Ada"}, "type": "update"},
        {"data": GRACE, "type": "delete"},
    ],
    "ogg-json": [
        {"after": ADA, "op_type": "I", "table": "people"},
        {"after": GRACE, "op_type": "I"},
        {"before": ADA, "after": LATER, "op_type": "U"},
        {"before": GRACE, "op_type": "D"},
    ],
}


@pytest.mark.parametrize("format_", list(CHANGES))
def test_changes_of_a_format_become_rows(environment: TableEnvironment, format_: str) -> None:
    topic = new_topic("tansu")
    produce("tansu", topic, [json.dumps(change).encode() for change in CHANGES[format_]])
    columns = "id INT, name STRING, origin STRING METADATA FROM 'value.table' VIRTUAL, o BIGINT METADATA FROM 'offset' VIRTUAL"
    declare(environment, "t", f"{columns}, PRIMARY KEY (id) NOT ENFORCED", topic, format=format_)
    assert rows_of(environment, "SELECT id, name, origin, o FROM t") == [(1, "Ada L.", None, 2)]


def test_a_table_without_end_is_refused_in_batch_mode(environment: TableEnvironment) -> None:
    declare(environment, "t", "id INT", new_topic("tansu"), format="json", **{"scan.bounded.mode": "unbounded"})
    with pytest.raises(ValidationException, match="has no end") as caught:
        environment.execute_sql("SELECT * FROM t").print()
    assert "'scan.bounded.mode' = 'latest-offset'" in (caught.value.hint or "")


def test_a_malformed_message_is_named(environment: TableEnvironment) -> None:
    topic = new_topic("tansu")
    produce("tansu", topic, [b'{"id": 1}', b'{"id": broken'], 2)
    declare(environment, "t", "id INT", topic, format="json")
    with pytest.raises(TableError) as caught:
        environment.execute_sql("SELECT * FROM t").print()
    assert f"Topic '{topic}', partition 2, offset 1" in str(caught.value)
    assert '{"id": broken' in str(caught.value)


def test_rows_go_from_kafka_over_postgresql_to_parquet(environment: TableEnvironment, tmp_path: Path) -> None:
    from postgres_server import new_table, server_url

    types = {
        "a": "INT", "b": "BIGINT", "c": "DOUBLE", "d": "DECIMAL(20, 4)", "e": "BOOLEAN", "f": "STRING", "g": "BYTES",
        "h": "DATE", "i": "TIMESTAMP(6)", "j": "TIMESTAMP_LTZ(6)", "k": "ARRAY<INT>", "l": "TIME(0)",
    }  # fmt: skip
    columns = ", ".join(f"{name} {type_}" for name, type_ in types.items())
    values = (
        "(1, 2, 0.5, CAST(12345.6789 AS DECIMAL(20, 4)), TRUE, 'ü \"x\"', X'00FF', DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05.123456', "
        "CAST(TIMESTAMP '2026-01-02 03:04:05.5' AS TIMESTAMP_LTZ(6)), ARRAY[1, 2], TIME '01:02:03')"
    )
    nulls = "(2, " + ", ".join(f"CAST(NULL AS {type_})" for name, type_ in types.items() if name != "a") + ")"
    declare(environment, "source", columns, new_topic("tansu"), format="json")
    environment.execute_sql(f"INSERT INTO source VALUES {values}, {nulls}")
    table = new_table(
        "a int4, b int8, c float8, d numeric(20, 4), e bool, f text, g bytea, h date, i timestamp, j timestamptz, k int4[], l time"
    )
    environment.execute_sql(
        f"CREATE TABLE middle ({columns}) WITH ('connector' = 'jdbc', 'url' = '{server_url()}', 'table-name' = '{table}')"
    )
    environment.execute_sql(
        f"CREATE TABLE target ({columns}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'target'}', 'format' = 'parquet')"
    )
    environment.execute_sql("INSERT INTO middle SELECT * FROM source")
    environment.execute_sql("INSERT INTO target SELECT * FROM middle")
    found = rows_of(environment, "SELECT * FROM target")
    assert found == rows_of(environment, "SELECT * FROM source")
    assert [row[0] for row in found] == [1, 2]
    assert None not in found[0]
    assert found[1] == (2, *[None] * (len(types) - 1))


def test_the_last_rows_of_keys_are_changes_in_streaming_mode() -> None:
    topic = new_topic("tansu")
    produce("tansu", topic, [b'{"id": 1, "name": "a"}', b'{"id": 1, "name": "b"}'], key=b'{"id": 1}')
    produce("tansu", topic, [b'{"id": 2, "name": "c"}', None], key=b'{"id": 2}')
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment:
        formats = {"key.format": "json", "value.format": "json"}
        declare(environment, "t", "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED", topic, "upsert-kafka", **formats)
        with environment.execute_sql("SELECT * FROM t").collect() as rows:
            changes = [(str(row.get_row_kind()), *row) for row in rows]
    assert [kind for kind, *_ in changes] == ["+I", "-U", "+U", "+I", "-D"]
    assert [row for _, *row in changes] == [[1, "a"], [1, "a"], [1, "b"], [2, "c"], [2, "c"]]


def test_killed_writers_lose_and_repeat_nothing(run_proof: Callable[..., str]) -> None:
    assert run_proof("kill_kafka.py", "--points", "2", "--cuts", "1").count("each row once") == 3
