"""Tables of other systems, statement sets and views on a session of Spark Connect."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from table_api_bridge import SparkTableEnvironment
from table_common.exceptions import TableRuntimeException

PACKAGES = Path(__file__).parents[3]
sys.path += [str(PACKAGES / "connector-jdbc" / "tests"), str(PACKAGES / "connector-kafka" / "tests")]

from kafka_brokers import new_topic, produce, servers, values_of  # noqa: E402
from kafka_brokers import stored as stored_messages  # noqa: E402
from postgres_server import new_table, run, server_url  # noqa: E402


def rows(env: SparkTableEnvironment, query: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in env.execute_sql(query).collect()), key=repr)


@pytest.fixture(scope="module")
def customers(env: SparkTableEnvironment) -> str:
    """The name that PostgreSQL has for the table ``customers``."""
    table = new_table("id int8 PRIMARY KEY, name text", [(1, "Ada"), (2, "Grace"), (3, None)])
    options = f"'connector' = 'jdbc', 'url' = '{server_url()}', 'table-name' = '{table}'"
    env.execute_sql(
        f"CREATE TEMPORARY TABLE customers (id BIGINT NOT NULL, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ({options},"
        " 'scan.partition.column' = 'id', 'scan.partition.num' = '2')"
    )
    return table


def test_postgresql_is_read_and_joined(env: SparkTableEnvironment, customers: str) -> None:
    assert rows(env, "SELECT * FROM customers WHERE id > 1") == [(2, "Grace"), (3, None)]
    orders = "(SELECT id, PROCTIME() AS p FROM (VALUES (1), (9)) AS v(id)) AS o"
    join = f"SELECT o.id, c.name FROM {orders} LEFT JOIN customers FOR SYSTEM_TIME AS OF o.p AS c ON o.id = c.id"
    assert rows(env, join) == [(1, "Ada"), (9, None)]


def test_postgresql_is_written_once_and_not_at_all_if_the_query_fails(env: SparkTableEnvironment, customers: str) -> None:
    with pytest.raises(TableRuntimeException, match="Division by zero"):
        env.execute_sql("INSERT INTO customers SELECT 4 / (a - 1), 'x' FROM (VALUES (2), (1)) AS t(a)").wait()
    assert len(run(f"SELECT * FROM {customers}")) == 3
    assert rows(env, "INSERT INTO customers VALUES (4, 'Alan'), (3, 'Edgar')") == [(2,)]
    assert run(f"SELECT id, name FROM {customers} ORDER BY id") == [(1, "Ada"), (2, "Grace"), (3, "Edgar"), (4, "Alan")]


def test_kafka_is_read_and_written(env: SparkTableEnvironment, tmp_path: Path) -> None:
    topic = new_topic("tansu")
    for number in range(3):
        produce("tansu", topic, [json.dumps({"id": number}).encode()], number % 2)
    env.execute_sql(
        f"CREATE TEMPORARY TABLE messages (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',"
        f" 'properties.bootstrap.servers' = '{servers('tansu')}', 'scan.startup.mode' = 'earliest-offset',"
        f" 'scan.bounded.mode' = 'latest-offset', 'sink.staging-directory' = '{tmp_path}')"
    )
    assert rows(env, "SELECT * FROM messages") == [(0,), (1,), (2,)]
    assert rows(env, "INSERT INTO messages VALUES (7)") == [(1,)]
    assert b'{"id":7}' in values_of(stored_messages("tansu", topic))
    assert rows(env, "SELECT COUNT(*) FROM messages") == [(4,)]


def test_a_statement_set_writes_files_of_several_formats(env: SparkTableEnvironment, tmp_path: Path) -> None:
    formats = ("csv", "json", "parquet")
    statements = env.create_statement_set()
    for name in formats:
        options = f"('connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = '{name}')"
        env.execute_sql(f"CREATE TEMPORARY TABLE set_{name} (a INT, b STRING) WITH {options}")
        statements.add_insert_sql(f"INSERT INTO set_{name} SELECT a, 'x' FROM (VALUES (1), (2)) AS t(a)")
    assert list(statements.execute().collect()) == [(2, 2, 2)]
    for name in formats:
        assert rows(env, f"SELECT * FROM set_{name}") == [(1, "x"), (2, "x")]


def test_views_are_exchanged(env: SparkTableEnvironment, spark: SparkSession) -> None:
    spark.range(5).createOrReplaceTempView("five")
    env.create_temporary_view("five", spark.table("five"))
    assert rows(env, "SELECT COUNT(*) FROM five") == [(5,)]
    env.create_spark_view("one", env.sql_query("SELECT 1 AS a, ARRAY[1, 2] AS b"))
    try:
        assert [tuple(row) for row in spark.sql("SELECT a, b FROM one").collect()] == [(1, [1, 2])]
    finally:
        spark.catalog.dropTempView("one")
