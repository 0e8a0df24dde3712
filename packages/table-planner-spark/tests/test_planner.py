"""The planner on Spark: its session, schemas, explanations and DataFrames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from table_api import EnvironmentSettings, ExplainDetail
from table_api.delegation import PlannerContext
from table_api.operations import CollectModifyOperation
from table_common.configuration import Configuration
from table_common.exceptions import TableError, TableRuntimeException
from table_common.functions import EngineFunction
from table_planner_spark.executor import CollectPlan
from table_planner_spark.lowering.fusion import fuse
from table_planner_spark.planner import SparkPlanner


@pytest.fixture
def planner(spark: SparkSession) -> Any:
    made = SparkPlanner(PlannerContext(EnvironmentSettings.in_batch_mode(), Configuration(), {"spark": spark}))
    yield made
    made.close()


def collect(env: Any, sql: str) -> CollectModifyOperation:
    return CollectModifyOperation(env.sql_query(sql).query_operation)


def test_the_planner_has_the_name_of_its_engine(planner: SparkPlanner) -> None:
    assert planner.name == "spark"


def test_fusion_is_the_only_rule_of_the_engine(planner: SparkPlanner) -> None:
    assert tuple(planner.rules()) == (fuse,)


def test_the_session_that_was_passed_in_is_used(planner: SparkPlanner, spark: SparkSession) -> None:
    assert planner.session.spark is spark


def test_closing_the_planner_leaves_the_session_of_the_program_running(planner: SparkPlanner, spark: SparkSession) -> None:
    assert planner.session.spark is spark
    planner.close()
    assert spark.range(3).count() == 3


def test_closing_a_planner_without_a_session_starts_none(spark: SparkSession) -> None:
    planner = SparkPlanner(PlannerContext(EnvironmentSettings.in_batch_mode(), Configuration(), {"spark": spark}))
    planner.close()
    assert planner._session is None


def test_a_query_has_the_schema_of_its_columns(planner: SparkPlanner, env: Any) -> None:
    operation = collect(env, "SELECT 1 AS a, CAST(NULL AS STRING) AS b")
    plan = planner.translate([operation])
    assert isinstance(plan, CollectPlan)
    assert plan.schema == operation.child.resolved_schema


def test_an_insert_has_a_row_count_for_each_table(env: Any, tmp_path: Path) -> None:
    for name in ("f", "g"):
        env.execute_sql(f"CREATE TABLE {name} (x INT) WITH ('connector'='filesystem', 'path'='{tmp_path}/{name}', 'format'='parquet')")
    statements = env.create_statement_set().add_insert_sql("INSERT INTO f VALUES (1)").add_insert_sql("INSERT INTO g VALUES (1), (2)")
    result = statements.execute()
    names = tuple(f"default_catalog.default_database.{name}" for name in ("f", "g"))
    assert result.get_resolved_schema().column_names == names
    assert [tuple(row) for row in result.collect()] == [(1, 2)]


def test_an_unknown_provider_is_refused_with_its_type(planner: SparkPlanner) -> None:
    assert "object" in str(planner.supports(object()))


def test_an_explanation_is_sparks_plan(planner: SparkPlanner, env: Any) -> None:
    assert "== Physical Plan ==" in planner.explain([collect(env, "SELECT x FROM (VALUES (1)) AS t(x)")], ())


def test_an_explanation_with_costs_has_sparks_statistics(planner: SparkPlanner, env: Any) -> None:
    operation = collect(env, "SELECT x FROM (VALUES (1)) AS t(x)")
    assert "Statistics(sizeInBytes=" in planner.explain([operation], [ExplainDetail.ESTIMATED_COST])


def test_a_dataframe_has_the_names_and_rows_of_the_table(planner: SparkPlanner, env: Any) -> None:
    frame: Any = planner.to_external(
        env.sql_query("SELECT x AS `a b`, y FROM (VALUES (1, CAST(NULL AS STRING))) AS t(x, y)").query_operation
    )
    assert isinstance(frame, DataFrame)
    assert (frame.columns, [tuple(row) for row in frame.collect()]) == (["a b", "y"], [(1, None)])


def test_the_options_of_the_session_are_put_back_after_a_translation(planner: SparkPlanner, env: Any, spark: SparkSession) -> None:
    planner.translate([collect(env, "SELECT 1")])
    assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"


def test_the_options_of_the_session_are_put_back_after_a_failed_translation(planner: SparkPlanner, env: Any, spark: SparkSession) -> None:
    operation = collect(env, "SELECT 1")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    with pytest.raises(TableError):
        planner.translate([operation, operation])  # one query at a time
    assert spark.conf.get("spark.sql.ansi.enabled") == "false"


def test_a_function_of_an_engine_is_resolved_once(planner: SparkPlanner) -> None:
    function = EngineFunction("SOUNDEX", system="spark", implementation="soundex")
    assert planner.resolve_function(function) is planner.resolve_function(function)


def test_constants_use_the_time_zone_of_the_configuration(spark: SparkSession) -> None:
    configuration = Configuration({"table.local-time-zone": "Asia/Tokyo"})
    planner = SparkPlanner(PlannerContext(EnvironmentSettings.in_batch_mode(), configuration, {"spark": spark}))
    assert planner._evaluation().time_zone == "Asia/Tokyo"


def test_an_error_at_run_time_is_one_of_ours(run: Any) -> None:
    with pytest.raises(TableRuntimeException):
        run.rows("SELECT CAST(x AS INT) FROM (VALUES ('a'), ('1')) AS t(x)")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT CAST('x' AS INT) FROM (VALUES 1, 2) AS t (a)",
        "SELECT a FROM (VALUES 1, 2) AS t (a) WHERE a / (1 - 1) = 1",
        "SELECT 1 / (a - a) FROM (VALUES 1, 2) AS t (a)",
    ],
)
def test_an_expression_that_fails_at_run_time_can_be_explained(env: Any, query: str) -> None:
    assert "== Physical Plan ==" in env.explain_sql(query)
    with pytest.raises(TableRuntimeException):
        env.execute_sql(query).to_arrow()
