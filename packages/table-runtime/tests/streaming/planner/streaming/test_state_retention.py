"""``table.exec.state.ttl`` reaches the operators of a query. The tests set the clock."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.time import clock

Changes = Callable[..., list[str]]
Pairs = Callable[[str, str], list[tuple[int | None, int | None]]]


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> Pairs:
    """Returns the rows of a query over ``l`` and ``r (k, v)`` with rows (1, 0), (1, 1), (1, 2).

    Those of the table that is read first come at 0, 1000 and 2000 ms, those of the other at 2500, 3000 and 4500 ms.
    """

    def pairs(sql: str, retention: str) -> list[tuple[int | None, int | None]]:
        times = iter((0, 1000, 2000, 2500, 3000, 4500))
        monkeypatch.setattr(clock, "processing_time", lambda: next(times))
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        env.get_config().set("table.exec.state.ttl", retention)
        batches = [pa.RecordBatch.from_pydict({"k": [1], "v": [number]}) for number in range(3)]
        for name in ("l", "r"):
            env.create_temporary_view(name, env.from_arrow(pa.Table.from_batches(batches)))
        with env.execute_sql(sql).collect() as rows:
            return [(row[0], row[1]) for row in rows]

    return pairs


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Changes:
    """Returns the changes of a query over ``t (k, v)``, whose rows (1, 0), (1, 1), … come at 0, 500, 2000, 2500 and 9000 ms."""

    def changes(sql: str, retention: str, **options: str) -> list[str]:
        times = iter((0, 500, 2000, 2500, 9000))
        monkeypatch.setattr(clock, "processing_time", lambda: next(times))
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
        for key, value in {"table.exec.state.ttl": retention, **options}.items():
            env.get_config().set(key, value)
        batches = [pa.RecordBatch.from_pydict({"k": [1], "v": [number]}) for number in range(5)]
        env.create_temporary_view("t", env.from_arrow(pa.Table.from_batches(batches)))
        with env.execute_sql(sql).collect() as rows:
            return [f"{row.get_row_kind().short_string}{tuple(row)}" for row in rows]

    return changes


def test_an_expired_group_restarts(changes: Changes) -> None:
    given = changes("SELECT k, COUNT(*) FROM t GROUP BY k", "1 s")
    assert given == ["+I(1, 1)", "-U(1, 1)", "+U(1, 2)", "+I(1, 1)", "-U(1, 1)", "+U(1, 2)", "+I(1, 1)"]


def test_an_unchanged_result_is_emitted_again(changes: Changes) -> None:
    assert changes("SELECT k, MIN(v) FROM t GROUP BY k", "1 s")[:3] == ["+I(1, 0)", "-U(1, 0)", "+U(1, 0)"]


def test_an_expired_distinct_row_is_emitted_again(changes: Changes) -> None:
    assert changes("SELECT DISTINCT k FROM t", "1 s") == ["+I(1,)"] * 3


@pytest.mark.parametrize("retention", ["0 s", "1 h"])
def test_state_is_kept_without_retention_and_within_it(changes: Changes, retention: str) -> None:
    assert changes("SELECT DISTINCT k FROM t", retention) == ["+I(1,)"]


def test_a_hint_takes_the_place_of_the_option_for_an_aggregate(changes: Changes) -> None:
    hinted = "SELECT /*+ STATE_TTL('t' = '{}') */ k, COUNT(*) FROM t GROUP BY k"
    expiring = ["+I(1, 1)", "-U(1, 1)", "+U(1, 2)", "+I(1, 1)", "-U(1, 1)", "+U(1, 2)", "+I(1, 1)"]
    assert changes(hinted.format("1 s"), "0 s") == expiring
    assert changes(hinted.format("1 s"), "1 h") == expiring
    assert changes(hinted.format("0 s"), "1 s")[-1] == "+U(1, 5)"


def test_a_hint_of_zero_gives_no_result_again_that_stays(changes: Changes) -> None:
    assert changes("SELECT /*+ STATE_TTL('t' = '0 s') */ k, MIN(v) FROM t GROUP BY k", "1 h") == ["+I(1, 0)"]


def test_a_hint_takes_the_place_of_the_option_for_distinct(changes: Changes) -> None:
    assert changes("SELECT /*+ STATE_TTL('t' = '1 s') */ DISTINCT k FROM t", "0 s") == ["+I(1,)"] * 3


def test_each_input_of_a_join_has_its_own_retention(pairs: Pairs) -> None:
    everything = [(left, right) for left in range(3) for right in range(3)]
    inner = "SELECT {} l.v, r.v FROM l JOIN r ON l.k = r.k"  # r is read first
    assert pairs(inner.format("/*+ STATE_TTL('r' = '1500 ms') */"), "0 s") == [(0, 2), (1, 2)]
    assert pairs(inner.format("/*+ STATE_TTL('r' = '1500 ms') */"), "1 h") == [(0, 2), (1, 2)]
    assert pairs(inner.format("/*+ STATE_TTL('l' = '1500 ms') */"), "0 s") == everything
    assert pairs(inner.format("/*+ STATE_TTL('r' = '0 s') */"), "1500 ms") == everything
    assert pairs(inner.format("/*+ STATE_TTL('l' = '0 s') */"), "1500 ms") == [(0, 2), (1, 2)]
    outer = "SELECT {} l.v, r.v FROM l RIGHT JOIN r ON l.k = r.k"  # l is read first
    assert pairs(outer.format("/*+ STATE_TTL('l' = '1500 ms') */"), "0 s") == [(2, 0), (2, 1), (None, 2)]
    assert sorted(pairs(outer.format("/*+ STATE_TTL('r' = '1500 ms') */"), "0 s")) == everything


@pytest.mark.parametrize("is_reused", ["true", "false"])
def test_equal_aggregates_with_other_retentions_are_not_merged(changes: Changes, is_reused: str) -> None:
    sql = "SELECT /*+ STATE_TTL('t' = '{}') */ k, COUNT(*) FROM t GROUP BY k"
    given = changes(f"{sql.format('1 s')} UNION ALL {sql.format('0 s')}", "0 s", **{"table.optimizer.reuse-sub-plan-enabled": is_reused})
    assert given.count("+I(1, 1)") == 4
    assert given[-1] == "+U(1, 5)"
