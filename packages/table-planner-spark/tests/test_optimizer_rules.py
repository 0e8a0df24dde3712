"""Statements that some rules of Spark's optimiser would not end with are planned without these rules."""

from __future__ import annotations

from typing import Any

from table_planner_spark.optimizer_rules import EXCLUDED_RULES

PRUNING = "org.apache.spark.sql.catalyst.optimizer.LimitPushDown"


def joins(count: int) -> str:
    tables = "".join(f" JOIN (VALUES 1) AS t{i} (a) ON t0.a = t{i}.a" for i in range(1, count))
    return f"SELECT COUNT(*) FROM (VALUES 1) AS t0 (a){tables}"


def test_the_rules_are_left_out_for_one_statement_only(spark: Any, run: Any) -> None:
    run.rows(joins(70))
    assert spark.conf.get(EXCLUDED_RULES, None) is None


def test_rules_that_the_session_leaves_out_stay_so(spark: Any, run: Any) -> None:
    spark.conf.set(EXCLUDED_RULES, PRUNING)
    try:
        run.rows(joins(70))
        assert spark.conf.get(EXCLUDED_RULES) == PRUNING
    finally:
        spark.conf.unset(EXCLUDED_RULES)
