"""What EXPLAIN adds on request."""

from __future__ import annotations

import json

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.connectors.memory import drop_memory_table

QUERY = "SELECT a FROM (VALUES (1), (2)) AS t (a) WHERE a > 1 + 0"


@pytest.fixture
def environment() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())


def explained(environment: TableEnvironment, details: str = "") -> str:
    ((text,),) = environment.execute_sql(f"EXPLAIN {details} {QUERY}").collect()
    return str(text)


def test_without_details_a_plan_has_three_sections(environment: TableEnvironment) -> None:
    titles = [line.strip("= ") for line in explained(environment, "PLAN FOR").splitlines() if line.startswith("==")]
    assert titles == ["Abstract Syntax Tree", "Optimized Logical Plan", "Physical Plan (arrow)"]


def test_estimated_cost_shows_the_rows_of_each_node(environment: TableEnvironment) -> None:
    assert "Values(rows=[2], fields=[a], rowcount=[2])" in explained(environment, "ESTIMATED_COST")


def test_changelog_mode_shows_the_kinds_of_changes(environment: TableEnvironment) -> None:
    text = explained(environment, "CHANGELOG_MODE")
    assert "CollectModify(changelogMode=[NONE])" in text
    assert "changelogMode=[I])" in text


def test_plan_advice_lists_the_rewrites(environment: TableEnvironment) -> None:
    assert "== Rewrites ==\nfold_constants\n" in explained(environment, "PLAN_ADVICE")


def test_the_json_plan_names_the_inputs_of_each_node(environment: TableEnvironment) -> None:
    text = explained(environment, "JSON_EXECUTION_PLAN")
    nodes = json.loads(text.partition("== Physical Execution Plan ==\n")[2])["nodes"]
    assert [(node["type"], node["pact"], node.get("predecessors")) for node in nodes] == [
        ("Values", "Data Source", None),
        ("Filter", "Operator", [{"id": 1}]),
        ("CollectModify", "Data Sink", [{"id": 2}]),
    ]


def test_sources_are_not_asked_for_statistics_if_the_option_says_so(environment: TableEnvironment) -> None:
    environment.execute_sql("CREATE TABLE counted (id INT) WITH ('connector' = 'memory', 'name' = 'counted')")
    environment.execute_sql("INSERT INTO counted VALUES (1), (2), (3)").await_()
    query = "EXPLAIN ESTIMATED_COST SELECT id FROM counted"
    assert "rowcount=[3]" in next(iter(environment.execute_sql(query).collect()))[0]
    environment.get_config().set("table.optimizer.source.report-statistics-enabled", "false")
    assert "rowcount=[100000]" in next(iter(environment.execute_sql(query).collect()))[0]
    drop_memory_table("counted")


def test_sources_are_offered_no_conditions_if_the_option_says_so(environment: TableEnvironment) -> None:
    environment.execute_sql("CREATE TABLE filtered (id INT) WITH ('connector' = 'memory', 'name' = 'filtered')")
    query = "SELECT id FROM filtered WHERE id > 1"
    assert "filters=[(id > 1)]" in environment.explain_sql(query)
    environment.get_config().set("table.optimizer.source.predicate-pushdown-enabled", "false")
    assert "filters=[" not in environment.explain_sql(query)
    drop_memory_table("filtered")


@pytest.mark.parametrize(
    ("connector", "delivery"), [("memory", "exactly-once"), ("print", "at-least-once"), ("blackhole", "at-least-once")]
)
def test_a_sink_shows_how_often_it_delivers_rows(environment: TableEnvironment, connector: str, delivery: str) -> None:
    environment.execute_sql(f"CREATE TABLE target (a INT) WITH ('connector' = '{connector}')")
    sink = next(line for line in environment.explain_sql(f"INSERT INTO target {QUERY}").splitlines() if "sink=[" in line)
    assert sink.endswith(f"delivery=[{delivery}])")


def test_the_physical_plan_shows_constants_in_quotes(environment: TableEnvironment) -> None:
    plan = environment.explain_sql("SELECT a = 'it''s' AS b, SUBSTRING(a FROM 1 FOR 1) AS s FROM (VALUES ('x'), ('y')) AS t(a)")
    assert "+- Project(select=[(a = 'it''s') AS b, SUBSTRING(a, 1, 1) AS s])" in plan[plan.index("Physical Plan") :]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT LISTAGG(name, '; ') FROM t GROUP BY id", "LISTAGG(name, '; ')"),
        ("SELECT LISTAGG(name, ';') OVER (PARTITION BY id ORDER BY ts) FROM t", "LISTAGG(name, ';') RANGE"),
        (
            "SELECT a.id FROM t a JOIN t b ON a.id = b.id AND a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts AND a.name <> b.name || 'x'",
            "|| 'x'",
        ),
        ("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.id AS n PATTERN (A) DEFINE A AS A.name = 'it''s')", "A.name = 'it''s'"),
    ],
)
def test_text_literals_keep_their_quotes_in_physical_plans(query: str, text: str) -> None:
    settings = EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build()
    with TableEnvironment.create(settings) as env:
        env.execute_sql(
            "CREATE TABLE t (id INT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen', 'number-of-rows' = '1')"
        )
        physical = env.explain_sql(query).split("== Physical")[-1]
    assert text in physical


def test_create_table_as_is_planned_as_an_insertion(environment: TableEnvironment) -> None:
    text = environment.explain_sql("CREATE TABLE made WITH ('connector' = 'print') AS SELECT 1 AS a")
    assert "Sink(table=[default_catalog.default_database.made]" in text
