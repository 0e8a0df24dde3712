"""Tables as notebooks and interactive programs use them, on both engines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_api import DataTypes, EnvironmentSettings, TableEnvironment, col
from table_api.tables import table_preview as module
from table_api.udf import udf

PLANNERS = ["arrow", "spark"]


@pytest.mark.parametrize("planner", PLANNERS)
def test_rows_are_counted_sliced_and_kept(make_env: Callable[[str], TableEnvironment], planner: str) -> None:
    table = make_env(planner).from_elements([(i, f"name {i}") for i in range(30)], ["id", "name"])
    assert table.count() == 30
    assert table[table["id"] >= 25].count() == 5
    assert table[28:].count() == 2
    assert table.order_by(col("id"))[3:5].to_arrow().to_pydict() == {"id": [3, 4], "name": ["name 3", "name 4"]}
    assert table.head(3).count() == 3
    assert table[:0].count() == 0


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_cached_table_does_not_run_its_query_again(make_env: Callable[[str], TableEnvironment], planner: str) -> None:
    env = make_env(planner)
    cached = env.sql_query("SELECT UUID() AS id FROM (VALUES 1, 2, 3) AS t (a)").cache()
    first = sorted(cached.to_arrow().column("id").to_pylist())
    assert sorted(cached.to_arrow().column("id").to_pylist()) == first
    assert sorted(env.sql_query(f"SELECT id FROM {cached}").to_arrow().column("id").to_pylist()) == first


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_notebook_shows_types_and_the_first_rows(make_env: Callable[[str], TableEnvironment], planner: str) -> None:
    table = make_env(planner).from_elements([(i, "<b>") for i in range(30)], ["id", "name"])
    text = table._repr_html_()
    assert "id<br><small>BIGINT</small>" in text
    assert text.count("&lt;b&gt;") == 10
    assert text.endswith("<small>The first 10 rows; there are more</small>")
    assert table[:2]._repr_html_().endswith("<small>2 rows</small>")


def test_in_streaming_mode_the_rows_after_all_changes_are_kept_and_shown() -> None:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as env:
        rows = env.from_elements([("a", 1), ("b", 2), ("a", 3)], ["k", "v"])
        sums = rows.group_by(col("k")).select(col("k"), col("v").sum.alias("s"))
        assert sums.count() == 2
        assert sorted(sums.cache().to_arrow().to_pylist(), key=str) == [{"k": "a", "s": 4}, {"k": "b", "s": 2}]
        assert sums._repr_html_().count("<tr>") == 3


def test_a_query_that_takes_too_long_shows_what_it_has(
    make_env: Callable[[str], TableEnvironment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SHOWN_WITHIN", timedelta(milliseconds=200))
    blocked = threading.Event()
    wait = udf(lambda value: blocked.wait(30) and value, result_type=DataTypes.BIGINT())
    table = make_env("arrow").from_elements([(1,)], ["a"]).select(wait(col("a")).alias("a"))
    try:
        assert "0 rows so far; the query takes longer than the display waits" in table._repr_html_()
    finally:
        blocked.set()


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_view_is_made_of_data_of_the_process(make_env: Callable[[str], TableEnvironment], planner: str) -> None:
    class LazyFrame:
        """A query of another library, in the form of polars."""

        def collect(self) -> pa.Table:
            return pa.table({"a": [4, 5]})

    env = make_env(planner)
    env.create_temporary_view("arrow_data", pa.table({"a": [1, 2]}))
    env.create_temporary_view("lazy", LazyFrame())
    env.create_temporary_view("queried", env.sql_query("SELECT a FROM lazy WHERE a > 4"))
    query = "SELECT a FROM arrow_data UNION ALL SELECT a + 10 FROM queried"
    assert sorted(env.sql_query(query).to_arrow().column("a").to_pylist()) == [1, 2, 15]


def test_the_program_of_the_guide_runs_as_it_says() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "notebooks.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(page.split("```python\n")[1].split("```")[0], names)
    assert names["flights"].columns == ["carrier", "delay"]
    assert names["flights"].count() == 3
    assert sorted(names["late"].to_arrow().column("delay").to_pylist()) == [25, 30]
    names["env"].close()


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_table_is_described(make_env: Callable[[str], TableEnvironment], planner: str) -> None:
    query = "SELECT * FROM (VALUES (1, 'b', ARRAY[1]), (3, CAST(NULL AS STRING), ARRAY[2])) AS t (n, s, l)"
    rows = make_env(planner).sql_query(query).describe().to_arrow().to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("n", "INT", "1", "3", 2.0, 2, 0, 2),
        ("s", "STRING", "b", "b", None, 1, 1, 2),
        ("l", "ARRAY<INT NOT NULL>", None, None, None, None, 0, 2),
    ]


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_plan_is_drawn(make_env: Callable[[str], TableEnvironment], planner: str) -> None:
    env = make_env(planner)
    env.create_temporary_view("v", env.from_elements([(1, "<a>"), (2, "b")], ["id", "name"]))
    graph = env.sql_query("SELECT name, COUNT(*) AS n FROM v WHERE id > 1 AND name <> '<a>' GROUP BY name").explain_graph()
    assert "<b>" not in graph.svg
    assert "&lt;a&gt;" in graph.svg
    assert "Aggregate" in graph.svg


def test_a_drawn_streaming_plan_shows_the_kinds_of_changes() -> None:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as env:
        rows = env.from_elements([("a", 1), ("b", 2)], ["k", "v"])
        assert "[I,UB,UA]" in rows.group_by(col("k")).select(col("k"), col("v").sum.alias("s")).explain_graph().svg
