"""Failing functions on both engines: after many rows, with wrong values, or by blocking forever. The session remains usable."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import TableEnvironment, TableRuntimeException
from table_api.udf import AsyncScalarFunction, AsyncTableFunction, ScalarFunction, TableFunction, udf
from table_common.exceptions import JobCancelledException, JobTimeoutException, TableError

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])
LATE = 3_000_001


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the numbers from 1 to three millions and a few."""
    path = tmp_path_factory.mktemp("many") / "numbers.parquet"
    pq.write_table(pa.table({"x": pa.arange(1, LATE + 10)}), path)
    return path


@pytest.fixture
def env(planner: str, make_env: MakeEnv, many: Path) -> Iterator[TableEnvironment]:
    """An environment with the table; a query after the test checks that it is still usable."""
    made = make_env(planner)
    made.execute_sql(f"CREATE TEMPORARY TABLE many (x BIGINT) WITH ('connector' = 'filesystem', 'path' = '{many}', 'format' = 'parquet')")
    made.execute_sql("CREATE TEMPORARY VIEW few AS SELECT * FROM (VALUES (1), (2), (3)) AS t(x)")
    yield made
    made.get_config().set("table.exec.timeout", "10 min")
    made.create_temporary_function("unharmed", udf(lambda x: x + 1, result_type="BIGINT"))
    assert rows(made, "SELECT MAX(unharmed(x)) FROM few") == [(4,)]


class RaisesLate(ScalarFunction):
    def eval(self, x: int) -> int:
        if x == LATE:
            raise ValueError("one too many")
        return x


def test_exception_in_row_three_million_and_one(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("raises_late", RaisesLate)
    with pytest.raises(TableRuntimeException) as error:
        rows(env, "SELECT MAX(raises_late(x)) FROM many")
    assert re.search(
        r"The function raises_late failed in row \d+ of the batch, called with \(3000001\): ValueError: one too many", error.value.message
    )
    assert "in eval" in error.value.message


class WrongLate(ScalarFunction):
    def eval(self, x: int) -> int:
        return x if x < LATE else "many"  # type: ignore[return-value]


def test_wrong_type_in_row_three_million_and_one(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("wrong_late", WrongLate)
    with pytest.raises(
        TableRuntimeException, match=r"wrong_late returned a wrong value in row \d+ of the batch, called with \(3000001\)"
    ) as error:
        rows(env, "SELECT MAX(wrong_late(x)) FROM many")
    assert "'many' (class str) is not a value of BIGINT" in error.value.message


class NoneDeclaredNotNull(ScalarFunction):
    def eval(self, x: int) -> int:
        return None  # type: ignore[return-value]


class TooLarge(ScalarFunction):
    def eval(self, x: int) -> int:
        return 2**63


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (NoneDeclaredNotNull, "None (class NoneType) is not a value of BIGINT NOT NULL"),
        (TooLarge, "9223372036854775808 (class int) is not a value of BIGINT"),
    ],
)
def test_value_out_of_range_of_the_type(function: type[ScalarFunction], reason: str, planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("wrong", function)
    with pytest.raises(TableRuntimeException, match=re.escape(reason)):
        rows(env, "SELECT wrong(x) FROM few")


class Secret(ScalarFunction):
    masks_arguments = True

    def eval(self, x: int) -> int:
        raise ValueError("no")


def test_arguments_are_masked_on_request(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("secret", Secret)
    with pytest.raises(TableRuntimeException, match=r"called with \(\*\*\*\): ValueError: no"):
        rows(env, "SELECT secret(x) FROM few")


class RaisesInTheMiddle(TableFunction[int]):
    def eval(self, x: int) -> Iterator[int]:
        yield x
        raise KeyError(x)


def test_exception_of_a_generator(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("raises", RaisesInTheMiddle)
    with pytest.raises(TableRuntimeException, match=r"raises failed in row 1 of the batch, called with \(1\): KeyError: 1"):
        rows(env, "SELECT y FROM few, LATERAL TABLE(raises(x)) AS t(y) WHERE x = 1")


# --- functions that never come back -----------------------------------------------------------------------------------------------


class HangsForTwo(AsyncScalarFunction):
    timeout = timedelta(milliseconds=200)

    async def eval(self, x: int) -> int:
        import asyncio

        if x == 2:
            await asyncio.Event().wait()
        return x


def test_a_blocked_asynchronous_call_ends_by_its_timeout(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("hangs", HangsForTwo)
    with pytest.raises(
        TableRuntimeException, match=r"hangs failed in row \d of the batch, called with \(2\): TimeoutError: no result within"
    ):
        rows(env, "SELECT hangs(x) FROM few")


class Forever(ScalarFunction):
    def eval(self, x: int) -> int:
        threading.Event().wait(120)
        return x


def test_a_blocked_call_ends_by_the_timeout_of_the_job(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("forever", Forever)
    env.get_config().set("table.exec.timeout", "3 s")
    with pytest.raises(JobTimeoutException, match="ran longer than 3 s") as error:
        rows(env, "SELECT forever(x) FROM few")
    assert "table.exec.timeout" in (error.value.hint or "")


def test_a_blocked_call_ends_when_the_job_is_cancelled(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("forever", Forever)
    result = env.execute_sql("SELECT forever(x) FROM few")
    client = result.get_job_client()
    assert client is not None
    client.cancel()
    with pytest.raises(JobCancelledException), result.collect() as found:
        list(found)


# --- asynchronous table functions -------------------------------------------------------------------------------------------------


class Lookup(AsyncTableFunction[str]):
    async def eval(self, x: int) -> list[str]:
        if x > 2:
            raise ConnectionError(f"no answer for {x}")
        return [f"{x}{letter}" for letter in "ab"[:x]]

    max_attempts = 2
    retry_delay = timedelta(milliseconds=1)


def test_asynchronous_table_function_is_joined_laterally(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("look_up", Lookup)
    sql = "SELECT x, y FROM few, LATERAL TABLE(look_up(x)) AS t(y) WHERE x < 3 ORDER BY y"
    assert rows(env, sql) == [(1, "1a"), (2, "2a"), (2, "2b")]


def test_asynchronous_table_function_fails_after_its_last_attempt(planner: str, env: TableEnvironment) -> None:
    env.create_temporary_function("look_up", Lookup)
    with pytest.raises(TableError, match=r"look_up failed in row \d of the batch, called with \(3\): ConnectionError: no answer for 3"):
        rows(env, "SELECT x, y FROM few, LATERAL TABLE(look_up(x)) AS t(y)")
