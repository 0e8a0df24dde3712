"""The provider ``openai`` against a local endpoint: chats, vectors, attempts, errors, and the key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fake_models import Endpoint, endpoint, right

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException, TableRuntimeException, ValidationException

KEY = "sk-very-private-4711"
FAST = "'retry-backoff-base-interval' = '1 ms'"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("MODEL_KEY", KEY)
    with endpoint() as found:
        yield found


@pytest.fixture(params=["arrow-streaming", "arrow-batch"])
def env(request: pytest.FixtureRequest) -> Iterator[TableEnvironment]:
    settings = EnvironmentSettings.new_instance().with_planner("arrow")
    mode = settings.in_batch_mode() if request.param == "arrow-batch" else settings.in_streaming_mode()
    made = TableEnvironment.create(mode.build())
    made.execute_sql("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'x'), (2, 'yy'), (3, CAST(NULL AS STRING))) AS v (a, b)")
    yield made
    made.close()


def create(env: TableEnvironment, served: Endpoint, *options: str, output: str = "answer STRING", path: str = "chat/completions") -> None:
    given = ["'provider' = 'openai'", f"'endpoint' = '{served.url}/{path}'", "'model' = 'm1'", "'api-key' = '${env:MODEL_KEY}'", *options]
    env.execute_sql(f"CREATE TEMPORARY MODEL m INPUT (text STRING) OUTPUT ({output}) WITH ({', '.join(given)})")


def predicted(env: TableEnvironment, columns: str = "*", config: str = "") -> list[tuple[Any, ...]]:
    with env.execute_sql(f"SELECT {columns} FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(b){config})").collect() as found:
        return [tuple(row) for row in found]


def test_a_chat_answers_each_row_and_a_null_is_not_sent(env: TableEnvironment, served: Endpoint) -> None:
    create(env, served, "'system-prompt' = 'Shout.'", "'temperature' = '0.5'", "'stop' = 'a,b'", "'response-format' = 'text'")
    assert predicted(env) == [(1, "x", "X"), (2, "yy", "YY")]
    assert sorted(request["messages"][1]["content"] for request in served.requests) == ["x", "yy"]
    request = served.requests[0]
    assert request["messages"][0] == {"role": "system", "content": "Shout."}
    assert {key: request[key] for key in request if key != "messages"} == {
        "model": "m1",
        "temperature": 0.5,
        "stop": ["a", "b"],
        "response_format": {"type": "text"},
    }
    assert set(served.keys) == {f"Bearer {KEY}"}


def test_several_answers_are_several_rows(env: TableEnvironment, served: Endpoint) -> None:
    create(env, served, "'n' = '2'")
    assert predicted(env, "a, answer") == [(1, "X"), (1, "X"), (2, "YY"), (2, "YY")]


def test_vectors_are_asked_for_in_batches(env: TableEnvironment, served: Endpoint) -> None:
    create(env, served, "'batch-size' = '10'", "'dimension' = '2'", output="e ARRAY<FLOAT>", path="embeddings")
    assert predicted(env, "a, e") == [(1, [1.0, 0.5]), (2, [2.0, 0.5])]
    assert [request["input"] for request in served.requests] in ([["x", "yy"]], [["x"], ["yy"]])
    assert served.requests[0]["dimensions"] == 2


def test_rate_limits_and_failures_of_the_server_are_tried_again(env: TableEnvironment, served: Endpoint) -> None:
    create(env, served, FAST)
    served.answer = lambda body, number: (429 if number % 2 else 503, "busy", {}) if number < 5 else right(body, number)
    assert predicted(env, "a, answer") == [(1, "X"), (2, "YY")]
    assert len(served.requests) == 6


@pytest.mark.parametrize(
    ("status", "document", "message"),
    [
        (503, "down", r"the endpoint answered 503: down \(after 3 attempts\)"),
        (400, {"error": "context_length_exceeded"}, "the endpoint answered 400: .*context_length_exceeded"),
        (401, f"wrong key {KEY}", r"the endpoint answered 401: wrong key \*\*\*"),
        (200, "<html>", "the answer of the endpoint is not of its protocol: .* It is: <html>"),
        (200, {"choices": [{"text": "x"}]}, "is not of its protocol: it has no choices with messages"),
        (200, {"choices": [{"message": {"content": None}}]}, "an answer is no text"),
    ],
)
def test_what_an_endpoint_does_wrong_is_said_without_the_key(
    env: TableEnvironment, served: Endpoint, status: int, document: Any, message: str
) -> None:
    create(env, served, FAST, "'retry-num' = '2'")
    served.answer = lambda body, number: (status, document, {})
    with pytest.raises((TableRuntimeException, TableException), match=message) as raised:
        predicted(env)
    assert "model default_catalog.default_database.m" in str(raised.value)
    error: BaseException | None = raised.value
    while error is not None:
        assert KEY not in f"{error}{error!r}"
        error = error.__cause__ or error.__context__
    if status != 503:
        assert len(served.requests) <= 2


def test_an_endpoint_that_is_down_is_an_error(env: TableEnvironment, served: Endpoint) -> None:
    served.url = "http://127.0.0.1:1"
    create(env, served, "'error-handling-strategy' = 'failover'")
    with pytest.raises((TableRuntimeException, TableException), match=r"model .*\.m: the endpoint cannot be reached: ConnectError"):
        predicted(env)


def test_errors_can_be_left_out_or_be_columns(env: TableEnvironment, served: Endpoint) -> None:
    def answer(body: dict[str, Any], number: int) -> tuple[int, Any, dict[str, str]]:
        return (500, "sorry", {"X-Id": "7"}) if body["messages"][1]["content"] == "x" else right(body, number)

    served.answer = answer
    create(env, served, "'error-handling-strategy' = 'ignore'")
    assert predicted(env, "a, answer") == [(2, "YY")]
    env.execute_sql("DROP TEMPORARY MODEL m")
    output = "answer STRING, `error-string` STRING, `http-status-code` INT, `http-headers-map` MAP<STRING, ARRAY<STRING>>"
    create(env, served, FAST, "'retry-num' = '1'", "'retry-fallback-strategy' = 'ignore'", output=output)
    columns = "a, answer, `error-string`, `http-status-code`, `http-headers-map`['x-id']"
    assert predicted(env, columns) == [
        (1, None, "the endpoint answered 500: sorry (after 2 attempts)", 500, ["7"]),
        (2, "YY", None, None, None),
    ]


def test_the_key_is_in_no_plan_and_no_description(env: TableEnvironment, served: Endpoint) -> None:
    create(env, served)
    texts = [env.sql_query("SELECT * FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(b))").explain()]
    for statement in ("SHOW CREATE MODEL m", "DESCRIBE MODEL m"):
        with env.execute_sql(statement).collect() as found:
            texts += [str(row) for row in found]
    assert KEY not in "".join(texts)


@pytest.mark.parametrize(
    ("options", "output", "path", "message"),
    [
        (("'max-context-size' = '10'",), "answer STRING", "chat/completions", "'max-context-size' .* needs the package tiktoken"),
        (
            ("'context-overflow-action' = 'skipped'",),
            "answer STRING",
            "chat/completions",
            "'context-overflow-action' .* needs 'max-context-size'",
        ),
        (("'dimension' = '10'",), "answer STRING", "chat/completions", "'dimension' .* is for embeddings"),
        (("'n' = '2'",), "e ARRAY<FLOAT>", "embeddings", "'n' .* is for chat completions"),
        ((), "answer INT", "chat/completions", "OUTPUT .* must be one column of type STRING"),
        ((), "answer STRING", "embeddings", "OUTPUT .* must be one column of type ARRAY<FLOAT>"),
        ((), "answer STRING, `http-status-code` STRING", "chat/completions", "'http-status-code' .* is STRING, but must be INT"),
        ((), "answer STRING", "completions", "ends in 'completions'; accepted are"),
        (("'temprature' = '1'",), "answer STRING", "chat/completions", r"unknown: 'temprature' \(did you mean 'temperature'\?\)"),
        (("'retry-num' = '-1'",), "answer STRING", "chat/completions", "'retry-num' .* is too small"),
    ],
)
def test_what_is_wrong_with_a_model_is_said_before_it_runs(
    env: TableEnvironment, served: Endpoint, options: tuple[str, ...], output: str, path: str, message: str
) -> None:
    create(env, served, *options, output=output, path=path)
    with pytest.raises(ValidationException, match=message):
        predicted(env)
    assert served.requests == []


@pytest.mark.parametrize("mode", ["ordered", "allow_unordered"])
def test_as_many_requests_run_at_once_as_the_call_says(env: TableEnvironment, served: Endpoint, mode: str) -> None:
    served.seconds = 0.05
    create(env, served)
    env.create_temporary_view("many", env.from_elements([(i, f"y{i}") for i in range(100)], ["i", "text"]))
    config = f"MAP['max-concurrent-operations', '20', 'output-mode', '{mode}']"
    with env.execute_sql(f"SELECT i, answer FROM ML_PREDICT(TABLE many, MODEL m, DESCRIPTOR(text), {config})").collect() as found:
        assert [tuple(row) for row in found] == [(i, f"Y{i}") for i in range(100)]
    assert 10 <= served.most <= 20


@pytest.mark.parametrize("mode", ["batch", "streaming"])
def test_tasks_of_spark_ask_the_endpoint(served: Endpoint, spark: Any, mode: str) -> None:
    settings = EnvironmentSettings.new_instance().with_planner("spark")
    settings = settings.in_streaming_mode() if mode == "streaming" else settings.in_batch_mode()
    with TableEnvironment.create(settings.build(), external={"spark": spark}) as env:
        env.execute_sql("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'x'), (2, 'yy'), (3, CAST(NULL AS STRING))) AS v (a, b)")
        create(env, served, FAST)
        served.answer = lambda body, number: (429, "busy", {}) if number == 1 else right(body, number)
        assert sorted(predicted(env, "a, answer")) == [(1, "X"), (2, "YY")]
        assert sorted(request["messages"][1]["content"] for request in served.requests) in (["x", "x", "yy"], ["x", "yy", "yy"])
        assert set(served.keys) == {f"Bearer {KEY}"}
        served.answer = lambda body, number: (401, f"wrong key {KEY}", {})
        with pytest.raises((TableRuntimeException, TableException), match=r"the endpoint answered 401: wrong key \*\*\*") as raised:
            predicted(env)
        assert KEY not in str(raised.value)
