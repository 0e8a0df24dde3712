"""Sums of a column plus constants: which calls share the column's sum, and that results and errors are those of the computed values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError
from table_runtime.planner.rules import move_sums as module

LEAST, MOST = -(2**63), 2**63 - 1
TYPES = {"TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32(), "BIGINT": pa.int64()}


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        yield made


def answer(env: TableEnvironment, query: str) -> list[tuple[Any, ...]] | str:
    """Returns the rows, or what is wrong; which call it is can be told of a moved sum only."""
    try:
        return sorted((tuple(row.values()) for row in env.execute_sql(query).to_arrow().to_pylist()), key=repr)
    except TableError as error:
        return error.message.partition(":")[0].rstrip(".")


def plan(env: TableEnvironment, query: str) -> str:
    return env.explain_sql(query).partition("== Physical")[2]


def both(env: TableEnvironment, query: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Returns the answers with and without moved sums."""
    moved = answer(env, query)
    with monkeypatch.context() as patch:
        patch.setattr(module, "FEWEST_SUMS", 1_000)
        return moved, answer(env, query)


def numbers(env: TableEnvironment, values: list[int | None], type_: str = "BIGINT") -> None:
    table = pa.table({"g": pa.array([i % 3 for i in range(len(values))], pa.int64()), "v": pa.array(values, TYPES[type_])})
    env.drop_temporary_view("t")
    env.create_temporary_view("t", env.from_arrow(table))


def test_sums_of_one_column_read_it_once(env: TableEnvironment) -> None:
    numbers(env, [1, 2, None, 4])
    query = "SELECT SUM(v + 1), SUM(2 + v), SUM(v - 3), SUM(v), COUNT(v) FROM t"
    text = plan(env, query)
    assert all(call in text for call in ("SUM(v, + 1)", "SUM(v, + 2)", "SUM(v, - 3)"))
    assert answer(env, query) == [(10, 13, -2, 7, 3)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT SUM(v + 1), SUM(g) FROM t",
        "SELECT SUM(v + 1) FILTER (WHERE g = 1), SUM(v + 2) FILTER (WHERE g = 1) FROM t",
        "SELECT SUM(DISTINCT v + 1), SUM(DISTINCT v + 2) FROM t",
        "SELECT SUM(v + 1.5), SUM(v + 2.5) FROM t",
        "SELECT SUM(1 - v), SUM(2 - v) FROM t",
        "SELECT SUM(v + g), SUM(v * 2) FROM t",
        "SELECT SUM(v + CAST(NULL AS BIGINT)), SUM(v) FROM t",
    ],
)
def test_other_sums_stay(env: TableEnvironment, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers(env, [1, 2, None, 4])
    text = plan(env, query)
    assert "v, + " not in text
    assert "v, - " not in text
    moved, computed = both(env, query, monkeypatch)
    assert moved == computed


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("BIGINT", [MOST - 5, 1]),
        ("BIGINT", [MOST - 2, 1]),
        ("BIGINT", [LEAST, 5, LEAST + 3]),
        ("BIGINT", [MOST // 2, MOST // 2, MOST // 2, -MOST // 2]),
        ("INT", [2**31 - 3, 7]),
        ("INT", [2**31 - 1, 7]),
        ("TINYINT", [127, -128, None]),
        ("SMALLINT", [32_767, 32_767, 32_767]),
        ("BIGINT", [None, None]),
        ("BIGINT", []),
    ],
)
@pytest.mark.parametrize("constants", [(1, 4), (-3, 2), (MOST, LEAST + 1)])
@pytest.mark.parametrize("group", [False, True])
def test_numbers_near_the_bounds(
    env: TableEnvironment, type_: str, values: list[int | None], constants: tuple[int, int], group: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers(env, values, type_)
    first, second = constants
    query = f"SELECT {'g, ' if group else ''}SUM(v + {first}), SUM(v - {second}), SUM(v), COUNT(*) FROM t{' GROUP BY g' if group else ''}"
    assert ("SUM(v, " in plan(env, query)) is (type_ in ("INT", "BIGINT") and (type_ == "BIGINT" or MOST not in constants))
    moved, computed = both(env, query, monkeypatch)
    assert moved == computed


def test_errors_name_the_overflow(env: TableEnvironment) -> None:
    numbers(env, [MOST, 1])
    with pytest.raises(TableError, match=r"\+.*BIGINT"):
        env.execute_sql("SELECT SUM(v + 1), SUM(v + 2) FROM t").to_arrow()
    numbers(env, [MOST - 1, 1])
    with pytest.raises(TableError, match=r"SUM overflows BIGINT: SUM\(v \+ 1\)"):
        env.execute_sql("SELECT SUM(v + 1), SUM(v - 1) FROM t").to_arrow()


def test_random_sums(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = 11
    print(f"seed {seed}")
    chosen = random.Random(seed)
    for _ in range(15):
        span = chosen.choice([10, 2**31, 2**61])
        numbers(env, [chosen.choice([None, chosen.randint(-span, span)]) for _ in range(chosen.randint(1, 200))])
        calls = [f"SUM(v {chosen.choice('+-')} {chosen.randint(0, span)})" for _ in range(3)]
        query = f"SELECT g + 1 AS h, {', '.join(calls)}, MAX(v + 1), LISTAGG(CAST(g AS STRING), ',') FROM t WHERE g < 2 GROUP BY g + 1"
        moved, computed = both(env, query, monkeypatch)
        assert moved == computed
