"""Statements that some rules of Spark's optimizer would not end with are planned without these rules."""

from __future__ import annotations

from typing import Any

from table_planner_spark.optimizer_rules import EXCLUDED_RULES, OPTIMIZER_OPTIONS, without_evaluation

PRUNING = "org.apache.spark.sql.catalyst.optimizer.LimitPushDown"


def joins(count: int) -> str:
    tables = "".join(f" JOIN (VALUES 1) AS t{i} (a) ON t0.a = t{i}.a" for i in range(1, count))
    return f"SELECT COUNT(*) FROM (VALUES 1) AS t0 (a){tables}"


def test_the_rules_are_left_out_for_one_statement_only(spark: Any, run: Any) -> None:
    before = {key: spark.conf.get(key, None) for key in OPTIMIZER_OPTIONS}
    run.rows(joins(70))
    assert {key: spark.conf.get(key, None) for key in OPTIMIZER_OPTIONS} == before


def test_rules_that_the_session_leaves_out_stay_so(spark: Any, run: Any) -> None:
    spark.conf.set(EXCLUDED_RULES, PRUNING)
    try:
        run.rows(joins(70))
        assert spark.conf.get(EXCLUDED_RULES) == PRUNING
    finally:
        spark.conf.unset(EXCLUDED_RULES)


def test_equal_columns_of_a_chain_of_joins_are_not_derived_from_each_other(env: Any, spark: Any) -> None:
    env.create_temporary_view("numbers", env.from_elements([(1,), (2,)], ["a"]))
    try:
        joined = "".join(f" JOIN numbers AS t{i} ON t{i}.a = t{i - 1}.a" for i in range(1, 40))
        plan = env.explain_sql(f"SELECT * FROM numbers AS t0{joined}")
        assert "isnotnull" not in plan  # which Spark derives from the conditions
    finally:
        env.drop_temporary_view("numbers")


def test_rules_that_evaluate_are_excluded_beside_those_of_the_statement() -> None:
    options = without_evaluation({EXCLUDED_RULES: PRUNING, "a": "b"})
    assert options["a"] == "b"
    assert options[EXCLUDED_RULES].startswith(f"{PRUNING},")
    assert options[EXCLUDED_RULES].endswith(".ConvertToLocalRelation")
