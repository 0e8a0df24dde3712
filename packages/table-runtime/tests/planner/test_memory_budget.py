"""Statements that need more memory than they may use: an error of ours, which names the sizes and the option."""

from __future__ import annotations

import gc
from pathlib import Path

import pyarrow as pa
import pytest

from table_api import Configuration, EnvironmentSettings, TableEnvironment
from table_api.udf import udf
from table_common.exceptions import TableRuntimeException
from table_runtime.run import execution
from table_runtime.run.memory import watch as memory_watch
from table_runtime.run.memory.budget import MemoryBudget

ROWS = 1_200_000
ERROR = r"The job needs more memory than it may use: .* of 48\.0 MB\.(.|\n)*table\.exec\.memory"


@pytest.fixture
def env() -> TableEnvironment:
    """An environment with less memory than the process has in use already."""
    options = Configuration({"table.exec.memory": "48 mb"})
    environment = TableEnvironment.create(
        EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").with_configuration(options).build()
    )
    numbers = pa.table({"n": pa.array(range(ROWS)), "m": pa.array(range(ROWS))})
    environment.create_temporary_view("t", environment.from_arrow(numbers))
    return environment


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(*) FROM t a JOIN t b ON a.n = b.m",
        "SELECT n FROM t ORDER BY m DESC",
        "SELECT COUNT(*) FROM t a JOIN t b ON a.n < b.m AND a.n > 5",
    ],
)
def test_what_holds_rows_asks_before(env: TableEnvironment, statement: str) -> None:
    with pytest.raises(TableRuntimeException, match=ERROR):
        list(env.execute_sql(statement).collect())


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT n, SUM(m) FROM t GROUP BY n",
        "SELECT n FROM t INTERSECT SELECT m FROM t",
        "SELECT n, SUM(m) OVER (PARTITION BY n) FROM t",
    ],
)
def test_a_job_that_goes_on_is_watched(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    monkeypatch.setattr(execution, "_WATCH_SECONDS", 0.0)
    monkeypatch.setattr(memory_watch, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(memory_watch, "LOOK_SECONDS", 0.001)
    with pytest.raises(TableRuntimeException, match=ERROR):
        list(env.execute_sql(statement).collect())


def test_one_call_of_a_python_function_is_stopped_while_it_fills_the_memory(env: TableEnvironment) -> None:
    blocks: list[bytes] = []

    @udf(result_type="INT")
    def fill(number: int) -> int:
        while len(blocks) < 2000:
            blocks.append(bytes(range(256)) * 4096)
        return number

    env.create_temporary_system_function("fill", fill)
    env.get_config().set("table.exec.memory", f"{(MemoryBudget(0).used >> 20) + 100} mb")
    with pytest.raises(TableRuntimeException, match="needs more memory than it may use"):
        list(env.execute_sql("SELECT fill(1 + CAST(n AS INT)) FROM t LIMIT 1").collect())
    assert len(blocks) < 2000


def test_statements_go_on_after_one_that_needed_too_much(env: TableEnvironment) -> None:
    with pytest.raises(TableRuntimeException, match=ERROR):
        list(env.execute_sql("SELECT n FROM t ORDER BY m DESC").collect())
    assert [tuple(row) for row in env.execute_sql("SELECT COUNT(*) FROM t").collect()] == [(ROWS,)]


def test_what_fits_is_computed(env: TableEnvironment) -> None:
    env.get_config().set("table.exec.memory", "64 gb")
    assert [tuple(row) for row in env.execute_sql("SELECT COUNT(*) FROM t a JOIN t b ON a.n = b.m").collect()] == [(ROWS,)]


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT n, CHAR_LENGTH(s) FROM w LIMIT 1", [(0, 30_000)]),
        ("SELECT COUNT(*), SUM(CAST(CHAR_LENGTH(s) AS BIGINT)) FROM w", [(40_000, 1_200_000_000)]),
        ("SELECT n, SUBSTRING(s, 1, 2) FROM w WHERE s LIKE '%1' ORDER BY n LIMIT 1", [(1, "01")]),
    ],
)
def test_a_scan_of_large_values_in_a_small_dictionary_needs_little_memory(
    query: str, expected: list[tuple[object, ...]], is_text: bool, tmp_path: Path
) -> None:
    from pyarrow.parquet import write_table

    texts = pa.DictionaryArray.from_arrays(
        pa.array([number % 2 for number in range(40_000)], pa.int32()), pa.array(["00" * 15_000, "01" * 15_000])
    )
    write_table(pa.table({"n": range(40_000), "s": texts}), tmp_path / "f", store_schema=not is_text)
    gc.collect()  # the process may have much memory of other tests
    options = Configuration({"table.exec.memory": f"{(MemoryBudget(0).used >> 20) + 300} mb"})
    env = TableEnvironment.create(
        EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").with_configuration(options).build()
    )
    env.execute_sql(f"CREATE TABLE w (n BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet')")
    with env.execute_sql(query).collect() as rows:
        assert [tuple(row) for row in rows] == expected
