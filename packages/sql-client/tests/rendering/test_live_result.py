"""The mode ``table`` on a terminal: final rows of a query that ends soon, the live view for another one."""

from __future__ import annotations

import pytest

from sql_client.rendering import live_result, live_view
from table_api import EnvironmentSettings, TableEnvironment


class _View:
    """Stands for the view on the whole screen; notes what it was given."""

    shown = 0

    def __init__(self, schema: object, live: object, style: object) -> None:
        self._live = live

    def run(self) -> int:
        _View.shown += 1
        assert self._live.wait(1, timeout=30)  # type: ignore[attr-defined]  # rows are there while the query runs
        return len(self._live)  # type: ignore[arg-type]


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> type[_View]:
    _View.shown = 0
    monkeypatch.setattr(live_view, "LiveView", _View)
    return _View


@pytest.fixture
def environment() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())


def test_a_query_that_ends_soon_has_its_final_rows(
    environment: TableEnvironment, view: type[_View], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_result, "_SECONDS_WITHOUT_VIEW", 60.0)
    result = environment.execute_sql("SELECT w, COUNT(*) AS n FROM (VALUES ('a'), ('b'), ('a')) AS t (w) GROUP BY w")
    shown = live_result.rows_or_live_view(result, lambda: None)
    assert shown is not None
    assert sorted(tuple(row) for row in shown.collect()) == [("a", 2), ("b", 1)]
    assert not shown.style.row_kinds
    assert view.shown == 0


def test_a_slow_query_with_an_end_is_shown_while_it_runs(
    environment: TableEnvironment, view: type[_View], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_result, "_SECONDS_WITHOUT_VIEW", 0.0)
    environment.execute_sql(
        "CREATE TABLE slow (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1', 'number-of-rows' = '1000', "
        "'fields.a.kind' = 'sequence', 'fields.a.start' = '1', 'fields.a.end' = '1000')"
    )
    result = environment.execute_sql("SELECT a FROM slow")
    assert not result.is_unbounded
    assert live_result.rows_or_live_view(result, lambda: None) is None  # the user left before the end
    assert view.shown == 1
