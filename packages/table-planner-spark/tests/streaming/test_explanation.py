"""EXPLAIN of streaming statements on Spark."""

from __future__ import annotations

from typing import Any


def test_a_plan_has_levels_keys_shares_and_kinds_of_changes(watched: Any) -> None:
    text = watched.env.explain_sql("SELECT n, COUNT(*) AS c FROM w GROUP BY n")
    lines = text[text.index("One Spark job per epoch") :].splitlines()
    assert lines[0] == "One Spark job per epoch, with the net changes of the epoch (NET):"
    assert lines[1].startswith("level 0, a task per split: default_catalog.default_database.t")
    assert lines[2].startswith("level 1, 2 shares: GroupAggregate by hash[k]")
    assert lines[3].startswith("level 2, 2 shares: ")
    assert "GroupAggregate by hash[n]" in lines[3]


def test_the_kinds_of_changes_of_each_node_are_shown(watched: Any) -> None:
    rows = watched.env.execute_sql("EXPLAIN CHANGELOG_MODE SELECT k, COUNT(*) AS n FROM t GROUP BY k").collect()
    text = next(iter(rows))[0]
    assert "changelogMode=[I,UB,UA]" in text
    assert "changelogMode=[I]" in text


def test_a_plan_without_the_option_has_as_many_shares_as_spark_has_slots(watched: Any) -> None:
    watched.env.execute_sql("RESET 'table.exec.spark.state-shares'")
    assert "level 1, a task per share, as many as Spark's parallelism: " in watched.env.explain_sql("SELECT DISTINCT k FROM t")
