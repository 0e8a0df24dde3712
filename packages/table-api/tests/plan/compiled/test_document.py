"""The document of a compiled plan: its version and mode, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, PlanReference, TableEnvironment, TableException, ValidationException
from table_api.operations import QueryOperation, WatermarkQueryOperation
from table_api.plan.compiled import read_plan
from table_common.tree import preorder

SOURCE = "CREATE TABLE s (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen')"


SINK = "CREATE TABLE k (a INT, b STRING) WITH ('connector' = 'blackhole', 'password' = 'hunter2')"


INSERT = "INSERT INTO k SELECT c, UPPER(b) FROM s WHERE a > 3"


def _environment(*statements: str) -> TableEnvironment:
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for statement in statements:
        environment.execute_sql(statement)
    return environment


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the tables s and k."""
    with _environment(SOURCE, SINK) as environment:
        yield environment


def test_a_plan_is_read_back_as_it_was(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    (operation,) = read_plan(text, plain.session).operations
    assert operation == plain.session.parse(INSERT)


def test_a_plan_with_a_watermark_is_read_back_as_it_was() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as streaming:
        streaming.execute_sql(
            "CREATE TABLE e (s STRING, ts AS TO_TIMESTAMP(s), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen')"
        )
        streaming.execute_sql("CREATE TABLE k (ts TIMESTAMP(3)) WITH ('connector' = 'blackhole')")
        insert = "INSERT INTO k SELECT ts FROM e"
        text = streaming.compile_plan_sql(insert).as_json_string()
        (operation,) = read_plan(text, streaming.session).operations
        assert operation == streaming.session.parse(insert)
        assert sum(isinstance(node, WatermarkQueryOperation) for node in preorder(operation.child, QueryOperation)) == 1


def test_a_batch_plan_of_the_version_before_watermarks_is_read(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string().replace('"planVersion": 3', '"planVersion": 2')
    (operation,) = read_plan(text, plain.session).operations
    assert operation == plain.session.parse(INSERT)


def test_a_plan_says_its_version_and_mode(plain: TableEnvironment) -> None:
    document = json.loads(plain.compile_plan_sql(INSERT).as_json_string())
    assert (document["planVersion"], document["runtimeMode"]) == (3, "batch")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT 1", "it is not JSON"),
        ("[]", "no planVersion"),
        ('{"flinkVersion": "2.3"}', "only Flink runs"),
        ('{"planVersion": 1}', "version 1, but this release reads version 3"),
        ('{"planVersion": 2, "runtimeMode": "streaming"}', "version 2, but this release reads version 3"),
        ('{"planVersion": 2, "runtimeMode": "batch"}', "list of sinks is missing"),
        ('{"planVersion": 3, "runtimeMode": "streaming"}', "compiled in streaming mode"),
        ('{"planVersion": 3, "runtimeMode": "batch"}', "list of sinks is missing"),
        ('{"planVersion": 3, "runtimeMode": "batch", "sinks": [1], "nodes": [{"id": 1, "type": "Popen"}]}', "Kind of node 'Popen'"),
        ('{"planVersion": 3, "runtimeMode": "batch", "sinks": [1], "nodes": [{"id": 1, "type": "Filter", "x": 1}]}', "Filter has no x"),
        ('{"planVersion": 3, "runtimeMode": "batch", "sinks": [1], "nodes": [{"id": 1, "type": "Filter"}]}', "node 1"),
    ],
)
def test_what_is_no_plan_is_refused(plain: TableEnvironment, text: str, message: str) -> None:
    with pytest.raises((ValidationException, TableException), match=message):
        plain.load_plan(PlanReference.from_json_string(text))
