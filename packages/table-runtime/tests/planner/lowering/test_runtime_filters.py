"""Runtime filters within a plan: which scans get them, what they skip, and that rows stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.scans.key_filter import KeyFilter
from table_runtime.scans.runtime_filters import FilterSlot

ROWS = 4_000
TYPES = {"name": "STRING", "score": "DOUBLE"}
OPTION = "table.optimizer.dynamic-filtering.enabled"


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableEnvironment]:
    folder = tmp_path_factory.mktemp("filters")
    tables: dict[str, dict[str, Any]] = {
        "sales": {
            "day": [i // 10 for i in range(ROWS)],
            "item": [i * 7 % 100 for i in range(ROWS)],
            "v": range(ROWS),
            "score": [i % 97 / 4 for i in range(ROWS)],
        },
        "back": {"item": [i % 100 for i in range(500)], "day": range(500), "w": range(500)},
        "days": {"id": [None, *range(ROWS // 10)], "month": [None, *(i // 30 for i in range(ROWS // 10))]},
        "items": {"id": range(100), "kind": [i % 10 for i in range(100)], "name": [f"n{i}" for i in range(100)]},
    }
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        for name, columns in tables.items():
            pq.write_table(pa.table(columns), folder / f"{name}.parquet", row_group_size=200)
            types = ", ".join(f"`{column}` {TYPES.get(column, 'BIGINT')}" for column in columns)
            made.execute_sql(
                f"CREATE TABLE {name} ({types}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{folder / name}.parquet')"
            )
        yield made


def filters(env: TableEnvironment, query: str) -> dict[str, list[str]]:
    """Returns the filtered columns of each scan of the physical plan."""
    found: dict[str, list[str]] = {}
    for line in env.explain_sql(query).partition("== Physical")[2].splitlines():
        if "ScanFiles" in line:
            table = line.partition("default_database.")[2].partition("]")[0]
            text = line.partition("runtimeFilters=[")[2].partition("]")[0]
            found.setdefault(table, []).extend(part.partition(" in ")[0] for part in text.split(", ") if part)
    return found


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in env.execute_sql(query).to_arrow().to_pylist()), key=repr)


CASES = {
    "a scan": ("SELECT SUM(v) FROM sales JOIN days ON sales.`day` = days.id WHERE days.`month` = 3", {"sales": ["day"]}),
    "a semi join": ("SELECT SUM(v) FROM sales WHERE item IN (SELECT id FROM items WHERE kind = 3)", {"sales": ["item"]}),
    "below an aggregate on the key": (
        "SELECT s, kind FROM (SELECT item, SUM(v) AS s FROM sales GROUP BY item) AS t JOIN items ON t.item = items.id WHERE kind = 1",
        {"sales": ["item"]},
    ),
    "into both sides of a join on the key": (
        "SELECT v, w FROM sales JOIN back ON sales.item = back.item AND sales.`day` = back.`day` JOIN items ON back.item = items.id WHERE kind = 2",
        {"sales": ["item", "day"], "back": ["item"]},
    ),
    "into the inputs of a union": (
        "SELECT t.x FROM (SELECT item, v AS x FROM sales UNION ALL SELECT item, w FROM back) AS t JOIN items ON t.item = items.id WHERE name = 'n7'",
        {"sales": ["item"], "back": ["item"]},
    ),
    "by several joins": (
        "SELECT SUM(v) FROM sales, days, items WHERE sales.`day` = days.id AND sales.item = items.id AND days.`month` = 1 AND kind = 4",
        {"sales": ["day", "item"]},
    ),
    "by the result of an aggregate alone": (
        """SELECT sales.`day`, sales.score FROM sales JOIN (SELECT item, MAX(score) AS most FROM sales GROUP BY item) AS t
        ON sales.item = t.item AND sales.score = t.most""",
        {"sales": ["score"]},
    ),
    "below a window of the key": (
        """SELECT t.r, t.v FROM (SELECT item, v, ROW_NUMBER() OVER (PARTITION BY item ORDER BY v) AS r FROM sales) AS t
        JOIN items ON t.item = items.id WHERE kind = 5 AND t.r < 3""",
        {"sales": ["item"]},
    ),
}
NOT_FILTERED = {
    "the left side of an outer join": "SELECT v, `month` FROM sales LEFT JOIN (SELECT * FROM days WHERE `month` = 3) AS d ON sales.`day` = d.id",
    "an anti join": "SELECT v FROM sales WHERE item NOT IN (SELECT id FROM items WHERE kind <> 3)",
    "below a limit": "SELECT t.v FROM (SELECT * FROM sales ORDER BY v LIMIT 50) AS t JOIN items ON t.item = items.id WHERE kind = 3",
    "below an aggregate of the key": "SELECT t.s FROM (SELECT MAX(item) AS s FROM sales GROUP BY `day`) AS t JOIN items ON t.s = items.id WHERE kind = 3",
    "below a window of something else": (
        "SELECT t.r FROM (SELECT item, ROW_NUMBER() OVER (ORDER BY v) AS r FROM sales) AS t JOIN items ON t.item = items.id WHERE kind = 3"
    ),
    "a build side that nothing filters": "SELECT SUM(v) FROM sales JOIN items ON sales.item = items.id",
}


@pytest.mark.parametrize("name", CASES)
def test_scans_that_get_a_filter(env: TableEnvironment, name: str) -> None:
    query, wanted = CASES[name]
    found = filters(env, query)
    assert {table: set(columns) for table, columns in found.items() if columns} == {
        table: set(columns) for table, columns in wanted.items()
    }


@pytest.mark.parametrize("query", NOT_FILTERED.values(), ids=NOT_FILTERED)
def test_scans_that_need_all_rows(env: TableEnvironment, query: str) -> None:
    assert filters(env, query)["sales"] == []


@pytest.mark.parametrize("query", [*(query for query, _ in CASES.values()), *NOT_FILTERED.values()], ids=[*CASES, *NOT_FILTERED])
def test_rows_are_the_same_without_filters(env: TableEnvironment, query: str) -> None:
    filtered = rows(env, query)
    env.get_config().set(OPTION, "false")
    try:
        assert "runtimeFilters" not in env.explain_sql(query)
        assert rows(env, query) == filtered
    finally:
        env.get_config().set(OPTION, "true")
    assert filtered


def test_what_two_nodes_read_is_not_filtered(env: TableEnvironment) -> None:
    query = """WITH s AS (SELECT item, SUM(v) AS t FROM sales GROUP BY item)
        SELECT (SELECT COUNT(*) FROM s), (SELECT SUM(t) FROM s JOIN items ON s.item = items.id WHERE kind = 3)"""
    assert rows(env, query) == [(100, sum(v for v in range(ROWS) if v * 7 % 100 % 10 == 3))]


def test_row_groups_without_a_key_are_skipped(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[KeyFilter | None] = []
    put = FilterSlot.put

    def noted(slot: FilterSlot, context: Any, keys: KeyFilter | None) -> None:
        made.append(keys)
        put(slot, context, keys)

    monkeypatch.setattr(FilterSlot, "put", noted)
    assert rows(env, "SELECT COUNT(*) FROM sales JOIN days ON sales.`day` = days.id WHERE days.`month` = 3") == [(300,)]
    (keys,) = made
    assert keys is not None
    assert (keys.groups, keys.groups_skipped) == (ROWS // 200, ROWS // 200 - 2)
    assert keys.rows_in == 400
    assert keys.rows_out == 300
