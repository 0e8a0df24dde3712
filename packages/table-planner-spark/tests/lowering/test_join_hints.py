"""Hints that say how to join reach Spark, under its own names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import ValidationException

JOINS = {
    "BROADCAST(b)": "BroadcastHashJoin",
    "broadcast(b)": "BroadcastHashJoin",
    "BROADCAST(a)": "BroadcastHashJoin",
    "SHUFFLE_HASH(b)": "ShuffledHashJoin",
    "SHUFFLE_MERGE(b)": "SortMergeJoin",
    "NEST_LOOP(b)": "CartesianProduct",
    "SHUFFLE_HASH(c)": "SortMergeJoin",
    "SHUFFLE_HASH(b), BROADCAST(b)": "ShuffledHashJoin",
}
FORMS = {
    "inner": "FROM a JOIN b ON a.k = b.k JOIN c ON b.v = c.v",
    "comma": "FROM a, b, c WHERE a.k = b.k AND b.v = c.v",
}


@pytest.fixture
def tables(run: Any, tmp_path: Path) -> Any:
    """Three tables of files that Spark joins by sorting if nobody asks for something else."""
    env = run.environment
    for name in "abc":
        env.execute_sql(
            f"CREATE TEMPORARY TABLE {name} (k INT, v INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}/{name}')"
        )
        (tmp_path / name).mkdir()
        (tmp_path / name / "part.csv").write_text("1,1\n2,2\n3,1\n")
    return run


def _joins(run: Any, spark: Any, statement: str) -> list[str]:
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        plan = run.environment.explain_sql(statement)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    initial = plan[plan.index("== Physical Plan ==") :]
    names = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "CartesianProduct", "BroadcastNestedLoopJoin")
    tree = initial[: initial.index("\n(1)")]
    return [name for line in tree.splitlines() for name in names if name in line]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("hint", JOINS)
def test_a_hint_decides_how_spark_joins(tables: Any, spark: Any, hint: str, form: str) -> None:
    _, first = _joins(tables, spark, f"SELECT /*+ {hint} */ a.k {FORMS[form]}")
    assert first == JOINS[hint] or hint == "SHUFFLE_HASH(c)"
    if hint == "SHUFFLE_HASH(c)":
        assert "ShuffledHashJoin" in _joins(tables, spark, f"SELECT /*+ {hint} */ a.k {FORMS[form]}")


def test_a_hinted_join_has_the_same_rows(tables: Any) -> None:
    statement = (
        "SELECT {} a.k, c.k FROM a LEFT JOIN (SELECT k + 1 AS k, v FROM b WHERE v = 1) AS b ON a.k = b.k JOIN c ON a.v = c.v ORDER BY 1, 2"
    )
    expected = tables.rows(statement.format(""))
    assert expected
    for name in ("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP"):
        assert tables.rows(statement.format(f"/*+ {name}(b, c) */")) == expected


def test_a_view_keeps_its_hints(tables: Any, spark: Any) -> None:
    tables.environment.execute_sql("CREATE TEMPORARY VIEW joined AS SELECT /*+ SHUFFLE_HASH(b) */ a.k FROM a JOIN b ON a.k = b.k")
    assert _joins(tables, spark, "SELECT * FROM joined") == ["ShuffledHashJoin"]


@pytest.mark.parametrize(
    ("hint", "write"),
    [
        ("MAPJOIN(b)", r"write BROADCAST\(b\)"),
        ("MERGE(a, b)", r"write SHUFFLE_MERGE\(a, b\)"),
        ("SHUFFLE_REPLICATE_NL(b)", r"write NEST_LOOP\(b\)"),
        ("REPARTITION(8)", "spark.sql.shuffle.partitions"),
        ("COALESCE(2)", "spark.sql.shuffle.partitions"),
    ],
)
def test_hints_of_spark_are_refused_with_what_to_write(tables: Any, hint: str, write: str) -> None:
    with pytest.raises(ValidationException, match=write):
        tables.environment.sql_query(f"SELECT /*+ {hint} */ a.k FROM a JOIN b ON a.k = b.k")
