"""``table.exec.state.ttl`` reaches the operators of a query. The clock is given."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.changelog import graph

Changes = Callable[[str, str], list[str]]


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Changes:
    """Returns the changes of a query over ``t (k, v)``, whose rows (1, 0), (1, 1), … come at 0, 500, 2000, 2500 and 9000 ms."""

    def changes(sql: str, retention: str) -> list[str]:
        times = iter((0, 500, 2000, 2500, 9000))
        monkeypatch.setattr(graph, "processing_time", lambda: next(times))
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        env.get_config().set("table.exec.state.ttl", retention)
        batches = [pa.RecordBatch.from_pydict({"k": [1], "v": [number]}) for number in range(5)]
        env.create_temporary_view("t", env.from_arrow(pa.Table.from_batches(batches)))
        with env.execute_sql(sql).collect() as rows:
            return [f"{row.get_row_kind().short_string}{tuple(row)}" for row in rows]

    return changes


def test_a_group_that_expired_begins_anew(changes: Changes) -> None:
    given = changes("SELECT k, COUNT(*) FROM t GROUP BY k", "1 s")
    assert given == ["+I(1, 1)", "-U(1, 1)", "+U(1, 2)", "+I(1, 1)", "-U(1, 1)", "+U(1, 2)", "+I(1, 1)"]


def test_a_result_that_stays_is_given_again(changes: Changes) -> None:
    assert changes("SELECT k, MIN(v) FROM t GROUP BY k", "1 s")[:3] == ["+I(1, 0)", "-U(1, 0)", "+U(1, 0)"]


def test_a_distinct_row_that_expired_is_given_again(changes: Changes) -> None:
    assert changes("SELECT DISTINCT k FROM t", "1 s") == ["+I(1,)"] * 3


@pytest.mark.parametrize("retention", ["0 s", "1 h"])
def test_state_lives_on_without_retention_or_within_it(changes: Changes, retention: str) -> None:
    assert changes("SELECT DISTINCT k FROM t", retention) == ["+I(1,)"]
