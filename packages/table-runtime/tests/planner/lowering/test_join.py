"""Semi, anti and left outer joins whose left input is the build side give the same rows as with the right one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.planner.rules import build_sides
from table_runtime.run.memory import account

ROWS = 2_000
STATEMENTS = {
    "semi": "SELECT * FROM few AS s WHERE EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k)",
    "semi with a condition": "SELECT * FROM few AS s WHERE EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k AND facts.v < s.v AND facts.t <> s.t)",
    "semi of two keys": "SELECT v, t FROM few AS s WHERE EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k AND facts.t = s.t)",
    "semi above an aggregate": "SELECT * FROM few WHERE k IN (SELECT k FROM facts GROUP BY k HAVING SUM(v) > 4000)",
    "semi without right rows": "SELECT * FROM few WHERE k IN (SELECT k FROM facts WHERE v < 0)",
    "semi without left rows": "SELECT * FROM nothing AS s WHERE EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k)",
    "anti": "SELECT * FROM few AS s WHERE NOT EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k)",
    "anti with a condition": "SELECT * FROM few AS s WHERE NOT EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k AND facts.v > s.v)",
    "anti without right rows": "SELECT * FROM few WHERE k NOT IN (SELECT k FROM facts WHERE v < 0)",
    "anti without left rows": "SELECT * FROM nothing AS s WHERE NOT EXISTS (SELECT 1 FROM facts WHERE facts.k = s.k)",
    "not in with a NULL": "SELECT * FROM few WHERE k NOT IN (SELECT k FROM facts)",
    "not in without NULL": "SELECT * FROM few WHERE k NOT IN (SELECT k FROM facts WHERE k IS NOT NULL AND v > 50)",
    "NULL equals NULL": "SELECT * FROM few INTERSECT SELECT k, v, t FROM facts",
    "left": "SELECT s.t, l.v, s.k, l.t FROM few AS s LEFT JOIN facts AS l ON l.k = s.k",
    "left with a condition": "SELECT s.v, l.v FROM few AS s LEFT JOIN facts AS l ON l.k = s.k AND l.v BETWEEN s.v AND s.v + 10",
    "left of an aggregate": """SELECT s.*, a.total, a.n FROM few AS s
        LEFT JOIN (SELECT k, SUM(v) AS total, COUNT(*) AS n FROM facts GROUP BY k) AS a ON a.k = s.k""",
    "left without right rows": "SELECT * FROM few AS s LEFT JOIN (SELECT * FROM facts WHERE v < 0) AS l ON l.k = s.k",
    "left without left rows": "SELECT * FROM nothing AS s LEFT JOIN facts AS l ON l.k = s.k",
    "a scalar subquery": "SELECT * FROM few AS s WHERE v > (SELECT 0.5 * AVG(v) FROM facts WHERE facts.k = s.k AND facts.t = s.t)",
    "a count of no rows": "SELECT v, (SELECT COUNT(*) FROM facts WHERE facts.k = s.k) AS n FROM few AS s",
    "below another join": """SELECT o.v, s.v FROM facts AS o JOIN (SELECT * FROM few WHERE k IN (SELECT k FROM facts WHERE t = 'b')) AS s
        ON o.k = s.k AND o.v = s.v""",
    "left joins of joins": """SELECT s.v, a.v, b.v FROM few AS s LEFT JOIN facts AS a ON a.k = s.k AND a.t = 'a'
        LEFT JOIN facts AS b ON b.k = s.v AND b.t = 'b' WHERE s.v < 30""",
}


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableEnvironment]:
    folder = tmp_path_factory.mktemp("sides")
    rng = random.Random(11)

    def table(rows: int, keys: int) -> pa.Table:
        columns = {
            "k": pa.array([rng.choice([None, *range(keys)]) for _ in range(rows)], pa.int64()),
            "v": pa.array([rng.choice([None, *range(100)]) for _ in range(rows)], pa.int64()),
            "t": pa.array([rng.choice([None, "a", "b", "c"]) for _ in range(rows)]),
        }
        return pa.table(columns)

    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as made:
        made.get_config().set("table.exec.spill.dir", str(folder / "spill"))
        for name, data in {"few": table(60, 300), "facts": table(ROWS, 200), "nothing": table(60, 300).slice(0, 0)}.items():
            pq.write_table(data, folder / f"{name}.parquet", row_group_size=100)
            made.execute_sql(
                f"CREATE TABLE {name} (k BIGINT, v BIGINT, t STRING) "
                f"WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{folder / name}.parquet')"
            )
        yield made


def rows(env: TableEnvironment, statement: str) -> Counter[str]:
    return Counter(repr(tuple(row)) for row in env.execute_sql(statement).collect())


def built_left(env: TableEnvironment, statement: str) -> int:
    """Returns the number of joins of the physical plan whose left input is the build side."""
    plan = env.explain_sql(statement).partition("== Physical")[2]
    return sum(plan.count(f"HashJoin(joinType=[{kind}]") for kind in ("right", "right semi", "right anti"))


@pytest.mark.parametrize("share", [None, 2_000], ids=["in memory", "spilled"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_the_build_side_does_not_change_the_rows(
    env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, share: int | None
) -> None:
    statement = STATEMENTS[name]
    monkeypatch.setattr(build_sides, "FEWEST_ROWS", float("inf"))
    expected = rows(env, statement)
    assert not built_left(env, statement)
    monkeypatch.setattr(build_sides, "FEWEST_ROWS", 0)
    monkeypatch.setattr(build_sides, "SMALLER", float("inf"))
    monkeypatch.setattr(account, "FIXED", share)
    assert rows(env, statement) == expected
    assert built_left(env, statement) or "HashJoin" not in env.explain_sql(statement), env.explain_sql(statement)


@pytest.mark.parametrize("name", ["semi", "anti", "left", "left of an aggregate", "a scalar subquery"])
def test_a_small_left_input_filters_the_scan_of_a_large_right_one(
    env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(build_sides, "FEWEST_ROWS", 100)
    statement = STATEMENTS[name].replace("few AS s", "(SELECT * FROM few WHERE v > 50) AS s")
    assert built_left(env, statement) == 1
    (scan,) = (
        line
        for line in env.explain_sql(statement).partition("== Physical")[2].splitlines()
        if "ScanFiles(table=[default_catalog.default_database.facts" in line
    )
    assert "runtimeFilters=[k in #" in scan


def test_a_large_left_input_is_not_held_in_memory(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_sides, "FEWEST_ROWS", 10)
    assert not built_left(env, "SELECT * FROM facts WHERE k IN (SELECT k FROM few)")
