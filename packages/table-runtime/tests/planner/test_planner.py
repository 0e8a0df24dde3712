"""The embedded planner: schemas of its jobs, its capabilities, and its session's options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.delegation import PlannerContext
from table_api.operations import CollectModifyOperation, JoinQueryOperation, QueryOperation
from table_common.configuration import Configuration
from table_common.connector.source import TableStats
from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_common.tree import preorder
from table_runtime.planner import ArrowPlanner


def planner(*, streaming: bool = False, **options: Any) -> ArrowPlanner:
    settings = EnvironmentSettings.in_streaming_mode() if streaming else EnvironmentSettings.in_batch_mode()
    return ArrowPlanner(PlannerContext(settings, Configuration(options)))


def test_the_planner_has_the_name_of_its_engine() -> None:
    assert planner().name == "arrow"


def test_the_rows_of_a_query_have_its_columns(env: Any) -> None:
    plan = env.sql_query("SELECT 1 AS a, 'x' AS b").query_operation
    assert planner().translate([CollectModifyOperation(plan)]).schema == plan.resolved_schema


def test_the_result_of_an_insert_is_a_row_count_of_the_table(env: Any, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE f (x INT) WITH ('connector'='filesystem', 'path'='{tmp_path}/f', 'format'='csv')")
    schema = env.execute_sql("INSERT INTO f VALUES (1)").get_resolved_schema()
    assert [str(column) for column in schema.columns] == ["`default_catalog.default_database.f` BIGINT NOT NULL"]


def test_a_statement_set_has_a_row_count_for_each_insert(env: Any, tmp_path: Path) -> None:
    for name in ("f", "g"):
        env.execute_sql(f"CREATE TABLE {name} (x INT) WITH ('connector'='filesystem', 'path'='{tmp_path}/{name}', 'format'='csv')")
    statements = env.create_statement_set().add_insert_sql("INSERT INTO f VALUES (1)").add_insert_sql("INSERT INTO g VALUES (1), (2)")
    assert [tuple(row) for row in statements.execute().collect()] == [(1, 2)]


def test_a_batch_plan_supports_runtime_filters_and_no_changes() -> None:
    capabilities = planner().capabilities
    assert (capabilities.dynamic_filtering, capabilities.changelog_operations) == (True, frozenset())


def test_a_streaming_plan_supports_changes_of_operations() -> None:
    assert JoinQueryOperation in planner(streaming=True).capabilities.changelog_operations


def test_scans_are_shared_in_streaming_mode() -> None:
    assert planner(streaming=True).capabilities.shared_scans


@pytest.mark.parametrize("provider", [object(), "text", 7])
def test_an_unknown_provider_is_refused_with_its_type(provider: object) -> None:
    assert type(provider).__name__ in str(planner().supports(provider))


def joined(env: Any) -> QueryOperation:
    plan: QueryOperation = env.sql_query("SELECT 1 FROM (VALUES (1)) AS a(x) JOIN (VALUES (1)) AS b(x) ON a.x = b.x").query_operation
    return plan


def test_a_plan_without_joins_is_not_reordered(env: Any) -> None:
    plan = env.sql_query("SELECT 1").query_operation
    assert planner().order_joins(plan) is plan


def test_reordering_joins_is_the_only_rule_of_the_engine() -> None:
    each = planner()
    assert list(each.rules()) == [each.order_joins]


def test_reordered_joins_have_the_columns_of_the_plan(env: Any) -> None:
    plan = joined(env)
    ordered = planner().order_joins(plan)
    assert ordered.resolved_schema == plan.resolved_schema
    assert any(isinstance(node, JoinQueryOperation) for node in preorder(ordered, QueryOperation))


def test_estimates_count_the_rows_of_constants(env: Any) -> None:
    plan = env.sql_query("SELECT * FROM (VALUES (1), (2), (3)) AS t(x)").query_operation
    assert planner().estimated_rows(plan)(plan) == 3


def test_estimates_use_the_statistics_of_the_catalog(env: Any, tmp_path: Path) -> None:
    env.execute_sql(f"CREATE TABLE f (x INT) WITH ('connector'='filesystem', 'path'='{tmp_path}', 'format'='csv')")
    plan = env.from_path("f").query_operation
    context = PlannerContext(EnvironmentSettings.in_batch_mode(), Configuration(), table_statistics=lambda _name: TableStats(4711))
    assert ArrowPlanner(context).estimated_rows(plan)(plan) == 4711


def test_the_time_zone_of_the_session_applies_to_constants_and_rows(env: Any, query: Any) -> None:
    env.get_config().set("table.local-time-zone", "Asia/Tokyo")
    stamp = "CAST(TO_TIMESTAMP_LTZ({}, 3) AS STRING)"
    assert query(f"SELECT {stamp.format('0')}, {stamp.format('x')} FROM (VALUES (CAST(0 AS BIGINT))) AS t(x)") == [
        ("1970-01-01 09:00:00.000", "1970-01-01 09:00:00.000")
    ]


def test_a_later_option_of_the_session_takes_effect(env: Any, query: Any) -> None:
    statement = "SELECT CAST('x' || y AS INT) FROM (VALUES ('1'), (CAST(NULL AS STRING))) AS t(y)"
    with pytest.raises(TableRuntimeException):
        query(statement)
    env.execute_sql("SET 'table.exec.legacy-cast-behaviour' = 'ENABLED'")
    assert query(statement) == [(None,), (None,)]


def test_all_rows_of_a_query_see_one_current_time(query: Any) -> None:
    assert query("SELECT COUNT(DISTINCT CURRENT_TIMESTAMP) FROM (VALUES (1), (2)) AS t(x)") == [(1,)]


def test_an_explanation_has_a_tree_for_each_insert(env: Any, tmp_path: Path) -> None:
    for name in ("f", "g"):
        env.execute_sql(f"CREATE TABLE {name} (x INT) WITH ('connector'='filesystem', 'path'='{tmp_path}/{name}', 'format'='csv')")
    statements = env.create_statement_set().add_insert_sql("INSERT INTO f VALUES (1)").add_insert_sql("INSERT INTO g VALUES (2)")
    physical = statements.explain().partition("== Physical Plan (arrow) ==")[2]
    assert [name for name in ("f", "g") if f"table=[default_catalog.default_database.{name}]" in physical] == ["f", "g"]


def test_a_reader_of_a_job_that_the_end_of_its_session_cancels_gets_an_error() -> None:
    """The rows that it has read so far are not all rows."""
    session = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    session.execute_sql("CREATE TABLE g (x INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000000000')")
    rows = session.execute_sql("SELECT x FROM g").collect()
    next(rows)
    session.close()
    with pytest.raises(JobCancelledException):
        for _ in rows:
            pass
