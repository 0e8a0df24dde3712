"""State that another version of a statement continues with: the results are those of the rows of both runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableException
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]

COLUMNS = "k INT, g INT, v INT, t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 3), WATERMARK FOR ts AS ts"
FIRST = [["+I", 1, 2, 5, 1000], ["+I", 2, 1, 7, 1500], ["+I", 1, 2, 5, 2000]]
THEN = [["+I", 1, 2, 1, 3000], ["+I", 9, 9, 0, 90_000]]
CHANGES, ROWS = "changes:", ""


class Runs:
    """Runs of one job, each with another statement, over a log of changes or of insertions alone."""

    def __init__(self, folder: Path, new_env: NewEnv, log_table: LogTable, eventually: Eventually) -> None:
        self._folder, self._new_env, self._log_table, self._eventually = folder, new_env, log_table, eventually
        self._number = 0

    def begin(self, query: str, log: str = ROWS) -> tuple[TableEnvironment, str]:
        """Returns an environment and the statement over a query."""
        self._number += 1
        env = self._new_env()
        env.get_config().set("execution.checkpointing.dir", str(self._folder / "checkpoints")).set("pipeline.name", "job")
        self._log_table(env, "t", COLUMNS, log)
        env.execute_sql(f"CREATE VIEW q AS {query}")
        schema = env.from_path("q").get_resolved_schema()
        columns = ", ".join(f"c{i} {type_}".replace(" NOT NULL", "") for i, type_ in enumerate(schema.get_column_data_types()))
        with_ = f"WITH ('connector' = 'filesystem', 'path' = '{self._folder / str(self._number)}', 'format' = 'csv')"
        env.execute_sql(f"CREATE TABLE o (op STRING, {columns}) {with_}")
        return env, "INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE q)"

    def run(self, query: str, rows: list[list[object]], expected: Counter[str], log: str = ROWS) -> str:
        """Appends rows and runs until the changes add up to a table; returns what the start said of the state."""
        env, statement = self.begin(query, log)
        text = env.explain_upgrade(statement)
        append_lines(self._folder / "t", "0", [row if log == CHANGES else row[1:] for row in rows])
        job = env.execute_sql(statement).get_job_client()
        assert job is not None
        read = len(rows)
        self._eventually(lambda: sum(n for name, n in job.metrics().items() if name.endswith("].numRecordsOut")) >= read)
        self._eventually(lambda: self._changes() == expected)
        env.close()
        assert self._changes() == expected
        return text

    def _changes(self) -> Counter[str]:
        result = Counter[str]()
        for path in (self._folder / str(self._number)).glob("part-*"):
            for line in path.read_text().splitlines():
                op, _, row = line.partition(",")
                result[row] += 1 if op in ("INSERT", "UPDATE_AFTER") else -1
        return Counter({row: count for row, count in result.items() if count})


@pytest.fixture
def runs(tmp_path: Path, new_env: NewEnv, log_table: LogTable, eventually: Eventually) -> Runs:
    return Runs(tmp_path, new_env, log_table, eventually)


@pytest.mark.parametrize(
    "window", ["TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)", "SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)"]
)
@pytest.mark.parametrize("keys", ["g, k, window_start, window_end", "g, window_start, k, window_end"])
def test_keys_of_windows_may_have_another_order(window: str, keys: str, runs: Runs) -> None:
    # Windows that are made from slices keep no columns of the window: the keys came into the wrong columns.
    runs.run(f"SELECT k, g, COUNT(*), SUM(v) FROM TABLE({window}) GROUP BY k, g, window_start, window_end", FIRST, Counter())
    text = runs.run(f"SELECT k, g, COUNT(*), SUM(v) FROM TABLE({window}) GROUP BY {keys}", THEN, Counter(["1,2,3,11", "2,1,1,7"]))
    assert "another order of keys" in text


DISTINCT = "COUNT(DISTINCT v), SUM(DISTINCT v), COUNT(DISTINCT g), COUNT(DISTINCT v) FILTER (WHERE v > 5), MAX(v)"


@pytest.mark.parametrize(
    ("aggregates", "expected"),
    [
        ("MAX(v), COUNT(DISTINCT g)", {"1,5,1": -1, "1,1,1": 1}),
        ("COUNT(DISTINCT v) FILTER (WHERE v > 5), SUM(DISTINCT v)", {"1,0,5": -1, "1,0,1": 1}),
        ("SUM(DISTINCT v), COUNT(DISTINCT v)", {"1,5,1": -1, "1,1,1": 1}),
        ("MAX(v)", {"1,5": -1, "1,1": 1}),
    ],
)
def test_distinct_aggregates_may_be_removed_and_reordered(aggregates: str, expected: dict[str, int], runs: Runs) -> None:
    runs.run(f"SELECT k, {DISTINCT} FROM t GROUP BY k", FIRST, Counter(["1,1,5,1,0,5", "2,1,7,1,1,7"]), CHANGES)
    rows: list[list[object]] = [["-D", 1, 2, 5, 1000], ["+I", 1, 2, 1, 3000], ["-D", 1, 2, 5, 2000]]
    text = runs.run(f"SELECT k, {aggregates} FROM t GROUP BY k", rows, Counter(expected), CHANGES)
    assert "aggregates removed" in text


def test_columns_of_select_distinct_may_have_another_order(runs: Runs) -> None:
    runs.run("SELECT DISTINCT k, g FROM t", FIRST, Counter(["1,2", "2,1"]))
    assert "another order of columns" in runs.run("SELECT DISTINCT g, k FROM t", [["+I", 2, 1, 0, 1], ["+I", 1, 1, 0, 1]], Counter(["1,1"]))


@pytest.mark.parametrize(("before", "after"), [(ROWS, CHANGES), (CHANGES, ROWS)])
def test_state_of_insertions_alone_is_not_used_for_changes(before: str, after: str, runs: Runs) -> None:
    query = "SELECT k, COUNT(*), MAX(v) FROM t GROUP BY k"
    runs.run(query, FIRST, Counter(["1,2,5", "2,1,7"]), before)
    env, statement = runs.begin(query, after)
    with pytest.raises(TableException, match="state would be lost") as raised:
        env.execute_sql(statement).wait()
    assert "is kept in another way if rows are only inserted than if they are updated or deleted" in str(raised.value)


def test_windows_are_not_made_from_slices_that_were_not_kept(runs: Runs) -> None:
    # LISTAGG cannot be merged: without it, the windows are made from slices.
    window = "FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end"
    runs.run(f"SELECT k, SUM(v), LISTAGG(CAST(v AS STRING)) {window}", FIRST, Counter())
    env, statement = runs.begin(f"SELECT k, SUM(v) {window}")
    with pytest.raises(TableException, match="state would be lost") as raised:
        env.execute_sql(statement).wait()
    assert "it was a WindowAggregate and is a SlicedWindowAggregate" in str(raised.value)
