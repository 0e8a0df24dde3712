"""ML_PREDICT on both engines, in both modes: columns, order, many requests at once, and errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_api import EnvironmentSettings, ModelDescriptor, Schema, TableEnvironment
from table_api.expressions import col, descriptor
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import DataTypes
from table_runtime.connectors.python import register_callable, unregister_callable


def upper(text: Any) -> Any:
    return pc.utf8_upper(text)


class Lengths:
    """Counts its characters from a number on."""

    def __init__(self, options: dict[str, str]) -> None:
        self.start = int(options["start"])

    def __call__(self, text: Any) -> dict[str, Any]:
        return {"n": pc.add(pc.utf8_length(text), self.start), "b": text}


async def waiting(text: Any) -> Any:
    assert len(text) == 1
    await asyncio.sleep(0.05 if text[0].as_py() != "x" else 0.1)
    return pc.utf8_upper(text)


def failing(text: Any) -> Any:
    raise ValueError("no such weather")


def short(text: Any) -> Any:
    return text[:1]


def texts(text: Any) -> Any:
    return pa.array(["none"] * len(text))


_OBJECTS = {"upper": upper, "lengths": Lengths, "waiting": waiting, "failing": failing, "short": short, "texts": texts}
_MODELS = """
CREATE MODEL loud INPUT (text STRING) OUTPUT (b STRING) WITH ('provider' = 'python', 'callable' = 'upper');
CREATE MODEL lengths INPUT (text STRING) OUTPUT (n INT, b STRING)
  WITH ('provider' = 'python', 'callable' = 'lengths', 'options.start' = '10');
CREATE MODEL waiting INPUT (text STRING) OUTPUT (answer STRING) WITH ('provider' = 'python', 'callable' = 'waiting');
CREATE MODEL failing INPUT (text STRING) OUTPUT (answer STRING) WITH ('provider' = 'python', 'callable' = 'failing');
CREATE MODEL short INPUT (text STRING) OUTPUT (answer STRING) WITH ('provider' = 'python', 'callable' = 'short');
CREATE MODEL numbers INPUT (text STRING) OUTPUT (answer INT) WITH ('provider' = 'python', 'callable' = 'texts');
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'x'), (2, 'yy'), (3, CAST(NULL AS STRING))) AS v (a, b)
"""


@pytest.fixture(params=["arrow-batch", "arrow-streaming", "spark-batch", "spark-streaming"])
def env(request: pytest.FixtureRequest) -> Iterator[TableEnvironment]:
    planner, _, mode = request.param.partition("-")
    settings = EnvironmentSettings.new_instance().with_planner(planner)
    settings = settings.in_streaming_mode() if mode == "streaming" else settings.in_batch_mode()
    external = {"spark": request.getfixturevalue("spark")} if planner == "spark" else {}
    made = TableEnvironment.create(settings.build(), external=external)
    for name, target in _OBJECTS.items():
        register_callable(name, target)
    for statement in _MODELS.split(";\n"):
        made.execute_sql(statement)
    yield made
    made.close()
    for name in _OBJECTS:
        unregister_callable(name)


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return sorted((tuple(row) for row in found), key=str)


def test_the_columns_of_the_model_stand_behind_those_of_the_table(env: TableEnvironment) -> None:
    table = env.sql_query("SELECT * FROM ML_PREDICT(TABLE t, MODEL loud, DESCRIPTOR(b))")
    assert table.get_resolved_schema().column_names == ("a", "b", "b0")
    assert rows(env, "SELECT * FROM ML_PREDICT(TABLE t, MODEL loud, DESCRIPTOR(b))") == [
        (1, "x", "X"),
        (2, "yy", "YY"),
        (3, None, None),
    ]


def test_arguments_have_names_and_a_class_gets_options(env: TableEnvironment) -> None:
    sql = "SELECT p.a, n, b0 FROM ML_PREDICT(INPUT => (SELECT * FROM t WHERE a < 3), MODEL => MODEL lengths, ARGS => DESCRIPTOR(b)) AS p"
    assert rows(env, sql) == [(1, 11, "x"), (2, 12, "yy")]


def test_requests_run_at_once_and_rows_keep_their_order(env: TableEnvironment) -> None:
    env.create_temporary_view("many", env.from_elements([(i, "x" if i == 0 else f"y{i}") for i in range(200)], ["i", "text"]))
    rows(env, "SELECT * FROM ML_PREDICT(TABLE t, MODEL loud, DESCRIPTOR(b))")  # starts the workers
    for mode in ("ordered", "allow_unordered"):
        config = f"MAP['async', 'true', 'max-concurrent-operations', '50', 'timeout', '5 s', 'output-mode', '{mode}']"
        sql = f"SELECT i, answer FROM ML_PREDICT(TABLE many, MODEL waiting, DESCRIPTOR(text), {config})"
        start = time.monotonic()
        with env.execute_sql(sql).collect() as found:
            assert [tuple(row) for row in found] == [(i, "X" if i == 0 else f"Y{i}") for i in range(200)]
        assert time.monotonic() - start < 9  # one after the other they take 10 s


def test_a_slow_answer_is_an_error_that_names_the_model_and_the_limit(env: TableEnvironment) -> None:
    env.get_config().set("table.exec.async-ml-predict.timeout", "10 ms")
    with pytest.raises((TableRuntimeException, TableException), match=r"ML_PREDICT\(MODEL .*waiting\) failed.*no answer within 0:00:00.01"):
        rows(env, "SELECT * FROM ML_PREDICT(TABLE t, MODEL waiting, DESCRIPTOR(b))")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("failing", r"ML_PREDICT\(MODEL .*failing\) failed.*: ValueError: no such weather"),
        ("short", r"ML_PREDICT\(MODEL .*short\) returned a wrong value: it returned 1 rows for \d"),
        ("numbers", r"ML_PREDICT\(MODEL .*numbers\) returned a wrong value: .*INT was declared"),
    ],
)
def test_what_a_model_does_wrong_is_said_with_its_name(env: TableEnvironment, model: str, message: str) -> None:
    with pytest.raises((TableRuntimeException, TableException), match=message):
        rows(env, f"SELECT * FROM ML_PREDICT(TABLE t, MODEL {model}, DESCRIPTOR(b))")


def test_the_table_api_gives_the_same_rows(env: TableEnvironment) -> None:
    table = env.from_model("lengths").predict(env.from_path("t"), descriptor("b"))
    with table.execute().collect() as found:
        assert sorted(tuple(row) for row in found)[:2] == [(1, "x", 11, "x"), (2, "yy", 12, "yy")]
    text = Schema.new_builder().column("text", DataTypes.STRING()).build()
    anonymous = ModelDescriptor.for_provider("python").input_schema(text).output_schema(text).option("callable", "waiting").build()
    table = env.from_model(anonymous).predict(env.from_path("t").filter(col("a") < 3), descriptor("b"), {"timeout": "5 s"})
    with table.execute().collect() as found:
        assert sorted(tuple(row) for row in found) == [(1, "x", "X"), (2, "yy", "YY")]


def test_a_view_over_a_model_is_kept_as_text(env: TableEnvironment) -> None:
    predicted = env.sql_query("SELECT b0, p.a FROM ML_PREDICT(TABLE t, MODEL loud, DESCRIPTOR(b)) AS p WHERE p.a < 3")
    from table_api.operations.sql_text import query_text

    text = query_text(predicted._operation, env.session.functions.sql_name)
    assert "ML_PREDICT(input =>" in text
    assert "MODEL `default_catalog`.`default_database`.`loud`" in text
    assert rows(env, text) == [("X", 1), ("YY", 2)]


def test_explain_shows_the_model(env: TableEnvironment) -> None:
    text = env.sql_query("SELECT * FROM ML_PREDICT(TABLE t, MODEL loud, DESCRIPTOR(b))").explain()
    assert "unnest=[ML_PREDICT(MODEL default_catalog.default_database.loud)(b)]" in text


_MADE = Callable[[str], TableEnvironment]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("MODEL lod, DESCRIPTOR(b)", "Model 'default_catalog.default_database.lod' does not exist"),
        ("MODEL loud, DESCRIPTOR(a)", "The column 'a' of ML_PREDICT is INT, but model .* takes text STRING"),
        ("MODEL loud, DESCRIPTOR(a, b)", "ML_PREDICT got 2 columns, but model .* takes 1: text STRING"),
        ("MODEL loud, DESCRIPTOR(c)", "Column 'c' does not exist in the table of ML_PREDICT"),
        ("MODEL loud, DESCRIPTOR(b), MAP['async', 'true']", "the provider 'python' cannot make them"),
        ("MODEL waiting, DESCRIPTOR(b), MAP['async', 'false']", "makes only asynchronous ones"),
        ("MODEL waiting, DESCRIPTOR(b), MAP['asnc', 'false']", r"unknown: 'asnc' \(did you mean 'async'\?\)"),
        ("MODEL waiting, DESCRIPTOR(b), MAP['max-concurrent-operations', '0']", "must be at least 1"),
        ("MODEL waiting, DESCRIPTOR(b), MAP['timeout', '0 s']", "must be longer than 0"),
        ("MODEL waiting, DESCRIPTOR(b), MAP['output-mode', 'random']", "ORDERED"),
        ("MODEL loud, DESCRIPTOR(b), MAP['timeout', '1 s']", "'timeout' is for asynchronous requests"),
        ("MODEL loud, DESCRIPTOR(b), MAP['timeout', b]", "must be a map of constant texts"),
        ("MODEL loud", "ML_PREDICT lacks the argument 'args'"),
        ("'upper', DESCRIPTOR(b)", "must be a model: MODEL m"),
        ("MODEL loud, b", "must name the columns"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_before_it_runs(env: TableEnvironment, call: str, message: str) -> None:
    if env.get_config().get("execution.runtime-mode", "") == "streaming" or "spark" in str(env.session.planner):
        return  # it is said before an engine sees it
    with pytest.raises((ValidationException, TableException), match=message):
        env.execute_sql(f"SELECT * FROM ML_PREDICT(TABLE t, {call})")


def test_rows_that_change_are_refused(env: TableEnvironment) -> None:
    sql = "SELECT * FROM ML_PREDICT((SELECT b, COUNT(*) AS c FROM t GROUP BY b), MODEL loud, DESCRIPTOR(b))"
    if not env.session.is_streaming_mode:
        assert len(rows(env, sql)) == 3
        return
    with pytest.raises(ValidationException, match="ML_PREDICT requires an insert-only input"):
        env.execute_sql(sql)
