"""Tables of the connector ``python`` on both engines: objects of the program, and their errors."""

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


def test_a_function_of_the_program_is_a_table(env: TableEnvironment, declare: Callable[[object], None]) -> None:
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


def test_the_error_of_a_wrong_row_shows_the_value_and_the_declared_type(env: TableEnvironment, declare: Callable[[object], None]) -> None:
    declare([("x", "y")])
    with pytest.raises(TableRuntimeException, match=r"'given' .*'x' .class str. is not a value of INT.* Declared: a INT, b STRING"):
        rows(env, "SELECT * FROM t")


def test_an_object_that_cannot_be_pickled_is_named_in_the_error(make_env: Callable[[str], TableEnvironment]) -> None:
    lock = threading.Lock()
    register_callable("locked", lambda: [(int(lock.locked()),)])
    env = make_env("spark")
    env.execute_sql("CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'python', 'callable' = 'locked')")
    with pytest.raises(TableException, match="cannot be sent to Spark's workers"):
        rows(env, "SELECT * FROM t")
    unregister_callable("locked")


def test_explain_shows_the_arguments_of_the_callable(env: TableEnvironment, declare: Callable[[object], None]) -> None:
    declare(lambda filters, limit: [])
    assert "python(given, filters=1)" in env.explain_sql("SELECT b FROM t WHERE a = 1")
