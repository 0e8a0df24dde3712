"""Tables of the connector ``python`` on both engines: objects of the program itself, and what is said when they fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.connectors.python import register_callable, unregister_callable

ENGINES = ("arrow", "spark")


@pytest.fixture(params=ENGINES)
def env(request: pytest.FixtureRequest, make_env: Callable[[str], TableEnvironment]) -> TableEnvironment:
    return make_env(request.param)


@pytest.fixture
def declare(env: TableEnvironment) -> Iterator[Callable[[object], None]]:
    def create(target: object) -> None:
        register_callable("given", target)
        env.execute_sql("CREATE TEMPORARY TABLE t (a INT, b STRING) WITH ('connector' = 'python', 'callable' = 'given')")

    yield create
    unregister_callable("given")


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


def test_a_function_of_the_program_is_read(env: TableEnvironment, declare: Callable[[object], None]) -> None:
    many = 3
    declare(lambda: ((number, str(number)) for number in range(many)))
    assert rows(env, "SELECT b FROM t WHERE a > 0 ORDER BY a") == [("1",), ("2",)]


def test_a_failure_names_the_callable_its_message_and_the_line(env: TableEnvironment, declare: Callable[[object], None]) -> None:
    def broken() -> Any:
        raise OSError("the feed is closed")

    declare(broken)
    with pytest.raises(
        TableRuntimeException, match=r"The Python callable 'given' of table .*t failed: OSError: the feed is closed"
    ) as failure:
        rows(env, "SELECT * FROM t")
    assert 'raise OSError("the feed is closed")' in str(failure.value)


def test_rows_that_do_not_fit_are_shown_with_what_is_declared(env: TableEnvironment, declare: Callable[[object], None]) -> None:
    declare([("x", "y")])
    with pytest.raises(TableRuntimeException, match=r"'given' .*'x' .class str. is no value of INT.* Declared: a INT, b STRING"):
        rows(env, "SELECT * FROM t")


def test_what_cannot_travel_to_workers_is_said(make_env: Callable[[str], TableEnvironment]) -> None:
    lock = threading.Lock()
    register_callable("locked", lambda: [(int(lock.locked()),)])
    env = make_env("spark")
    env.execute_sql("CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'python', 'callable' = 'locked')")
    with pytest.raises(TableException, match="cannot be sent to Spark's workers"):
        rows(env, "SELECT * FROM t")
    unregister_callable("locked")


def test_explain_shows_what_the_callable_is_told(env: TableEnvironment, declare: Callable[[object], None]) -> None:
    declare(lambda filters, limit: [])
    assert "python(given, filters=1)" in env.explain_sql("SELECT b FROM t WHERE a = 1")
