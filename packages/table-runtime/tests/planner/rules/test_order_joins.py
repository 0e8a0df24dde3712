from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, ExplainDetail, TableEnvironment

FACTS, DAYS, SHOPS = 5000, 100, 10


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableEnvironment]:
    folder = tmp_path_factory.mktemp("joins")
    tables = {
        "facts": {"day": [i % DAYS for i in range(FACTS)], "shop": [i % SHOPS for i in range(FACTS)], "v": list(range(FACTS))},
        "days": {"id": list(range(DAYS)), "quarter": [i % 4 for i in range(DAYS)]},
        "shops": {"id": list(range(SHOPS)), "city": [i % 3 for i in range(SHOPS)]},
    }
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment:
        for name, columns in tables.items():
            pq.write_table(pa.table(columns), folder / f"{name}.parquet")
            types = ", ".join(f"`{column}` BIGINT" for column in columns)
            environment.execute_sql(
                f"CREATE TABLE {name} ({types}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{folder / name}.parquet')"
            )
        yield environment


def joins(env: TableEnvironment, query: str) -> list[str]:
    """Returns the joins and scans of the physical plan, top first."""
    plan = env.explain_sql(query).partition("== Physical Plan")[2]
    lines = (line.strip(" +-") for line in plan.splitlines())
    return [
        line.partition("(")[0] + (f" {line.partition('default_database.')[2].partition(']')[0]}" if line.startswith("Scan") else "")
        for line in lines
        if "Join" in line or line.startswith("Scan")
    ]


def test_tables_without_a_common_condition_are_not_paired(env: TableEnvironment) -> None:
    query = "SELECT SUM(v) AS v FROM days, shops, facts WHERE facts.`day` = days.id AND facts.shop = shops.id"
    assert "NestedLoopJoin" not in joins(env, query)


def test_the_small_inputs_are_held_in_memory(env: TableEnvironment) -> None:
    query = "SELECT SUM(v) AS v FROM days JOIN facts ON facts.`day` = days.id"
    assert joins(env, query) == ["HashJoin", "ScanFiles facts", "ScanFiles days"]


def test_an_order_that_is_good_stays(env: TableEnvironment) -> None:
    query = "SELECT SUM(v) AS v FROM facts, shops, days WHERE facts.`day` = days.id AND facts.shop = shops.id"
    assert joins(env, query) == ["HashJoin", "HashJoin", "ScanFiles facts", "ScanFiles shops", "ScanFiles days"]


def test_columns_stay_in_their_places(env: TableEnvironment) -> None:
    query = "SELECT * FROM days, shops, facts WHERE facts.`day` = days.id AND facts.shop = shops.id AND v = 1234"
    assert env.execute_sql(query).to_arrow().to_pydict() == {
        "id": [34],
        "quarter": [2],
        "id0": [4],
        "city": [1],
        "day": [34],
        "shop": [4],
        "v": [1234],
    }


def test_conditions_that_are_no_equalities_are_kept(env: TableEnvironment) -> None:
    query = "SELECT COUNT(*) AS n FROM days, shops, facts WHERE facts.`day` = days.id AND facts.shop = shops.id AND v < quarter + city"
    assert env.execute_sql(query).to_arrow().to_pydict() == {"n": [sum(v < v % DAYS % 4 + v % SHOPS % 3 for v in range(FACTS))]}


def test_a_join_that_is_read_twice_runs_once(env: TableEnvironment) -> None:
    query = """
        WITH sold AS (SELECT id, quarter, v FROM days JOIN facts ON facts.`day` = days.id)
        SELECT COUNT(*) AS n FROM sold AS a JOIN sold AS b ON a.v = b.v JOIN shops ON shops.id = a.quarter"""
    assert joins(env, query).count("ScanFiles facts") == 1
    assert env.execute_sql(query).to_arrow().to_pydict() == {"n": [FACTS]}


def test_a_long_chain_is_planned(env: TableEnvironment) -> None:
    tables = ", ".join(f"shops AS s{i}" for i in range(40))
    conditions = " AND ".join(f"s{i}.id = s{i + 1}.id" for i in range(39))
    assert env.execute_sql(f"SELECT COUNT(*) AS n FROM {tables} WHERE {conditions}").to_arrow().to_pydict() == {"n": [SHOPS]}


def test_tables_that_share_only_kinds_are_not_joined_first(env: TableEnvironment, tmp_path: Path) -> None:
    people = {"id": list(range(2000)), "kind": [f"kind {i % 3}" for i in range(2000)]}
    pq.write_table(pa.table(people), tmp_path / "people.parquet")
    env.execute_sql(
        f"CREATE TEMPORARY TABLE people (id BIGINT, kind STRING) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')"
    )
    query = """
        SELECT COUNT(*) AS n FROM people AS a, people AS b, facts
        WHERE a.kind = b.kind AND facts.`day` = a.id AND facts.v = b.id"""
    top, *below = joins(env, query)
    assert (top, below[below.index("HashJoin") + 1 :][:2].count("ScanFiles facts")) == ("HashJoin", 1)


def test_a_column_without_values_is_estimated(env: TableEnvironment) -> None:
    query = """SELECT COUNT(*) AS n FROM facts LEFT JOIN (SELECT id FROM days WHERE 1 = 0) AS e ON facts.`day` = e.id
        JOIN shops ON facts.shop = shops.id WHERE e.id = 5 OR v = 1"""
    assert env.execute_sql(query).to_arrow().to_pydict() == {"n": [1]}


def rows(env: TableEnvironment, query: str) -> list[dict[str, object]]:
    return env.execute_sql(query).to_arrow().to_pylist()


def test_a_filter_is_counted_in_a_sample_of_the_table(env: TableEnvironment) -> None:
    query = "SELECT SUM(v) AS v FROM days, facts WHERE facts.`day` = days.id AND days.id * 2 BETWEEN 20 AND 23"
    plan = env.sql_query(query).explain(ExplainDetail.ESTIMATED_COST)
    (filtered,) = [line for line in plan.splitlines() if "Filter(where=" in line and "rowcount" in line]
    assert "rowcount=[2]" in filtered


def test_the_range_of_the_matching_keys_counts(env: TableEnvironment) -> None:
    query = "SELECT * FROM facts JOIN days ON facts.`day` = days.id WHERE days.quarter = 1"
    plan = env.sql_query(query).explain(ExplainDetail.ESTIMATED_COST)
    (join,) = [line for line in plan.splitlines() if "Join(joinType" in line and "rowcount" in line]
    estimated = float(join.partition("rowcount=[")[2].partition("]")[0])
    assert FACTS / 8 <= estimated <= FACTS / 2


def test_a_semi_join_moves_to_the_rows_that_it_filters(env: TableEnvironment) -> None:
    query = """SELECT COUNT(*) AS n FROM facts JOIN shops ON facts.shop = shops.id JOIN days ON facts.`day` = days.id
        WHERE facts.v IN (SELECT v FROM facts WHERE v < 10)"""
    assert rows(env, query) == [{"n": 10}]
    plan = env.explain_sql(query).partition("== Optimized")[2].partition("== Physical")[0]
    joined = [line for line in plan.splitlines() if "Join(" in line]
    assert "SemiJoin" in joined[-1]


def test_outer_and_anti_joins_give_the_same_rows_in_any_order(env: TableEnvironment) -> None:
    query = """SELECT COUNT(*) AS n, SUM(city) AS c FROM facts LEFT JOIN shops ON facts.shop = shops.id AND shops.city = 1
        JOIN days ON facts.`day` = days.id
        WHERE days.quarter = 2 AND NOT EXISTS (SELECT 1 FROM shops AS s WHERE s.id = facts.shop AND s.city = 0)"""
    kept = [v for v in range(FACTS) if v % DAYS % 4 == 2 and v % SHOPS % 3 != 0]
    assert rows(env, query) == [{"n": len(kept), "c": sum(1 for v in kept if v % SHOPS % 3 == 1)}]


def test_a_condition_on_what_an_outer_join_adds_stays_above_it(env: TableEnvironment) -> None:
    query = """SELECT COUNT(*) AS n FROM facts LEFT JOIN shops ON facts.shop = shops.id AND shops.city = 1
        JOIN days ON facts.`day` = days.id AND COALESCE(shops.city, days.quarter) = days.quarter"""
    kept = [v for v in range(FACTS) if v % SHOPS % 3 != 1 or v % DAYS % 4 == 1]
    assert rows(env, query) == [{"n": len(kept)}]


def test_equal_columns_are_equal_to_each_other(env: TableEnvironment) -> None:
    query = """SELECT COUNT(*) AS n FROM facts AS a, facts AS b, days WHERE a.v = days.id AND b.v = days.id AND days.id < 7 AND a.shop = b.shop"""
    assert rows(env, query) == [{"n": 7}]


def test_conditions_of_several_kinds_on_the_same_columns_all_hold(env: TableEnvironment, tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2, None, 4], "y": [1, 2, None, 5]}), tmp_path / "pairs.parquet")
    env.execute_sql(
        f"CREATE TEMPORARY TABLE pairs (x BIGINT, y BIGINT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}')"
    )
    query = """SELECT COUNT(*) AS n FROM facts, days, pairs AS p, pairs AS q WHERE facts.`day` = days.id AND p.x IS NOT DISTINCT FROM q.x
        AND p.x = q.x AND CAST(p.x AS SMALLINT) = CAST(q.y AS SMALLINT) AND facts.v = p.x AND p.x = q.y"""
    assert rows(env, query) == [{"n": 2}]


def test_a_column_that_equals_two_of_the_other_input(env: TableEnvironment) -> None:
    condition = "days.id = facts.`day` AND days.id = facts.shop"
    for tables in ("days, facts", "facts, days", "days, shops, facts"):
        more = " AND facts.shop = shops.id" if "shops" in tables else ""
        found = env.execute_sql(f"SELECT COUNT(*) AS n FROM {tables} WHERE {condition}{more}").to_arrow().to_pydict()
        assert found == {"n": [sum(v % DAYS == v % SHOPS for v in range(FACTS))]}
