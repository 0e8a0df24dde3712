"""Compiled plans: what is in them, when they are refused, and where their tables come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, PlanReference, TableEnvironment, TableException, ValidationException
from table_api.expressions import call, col
from table_api.operations import QueryOperation, WatermarkQueryOperation
from table_api.operations.sql_text import query_text
from table_api.plan.compiled import read_plan
from table_api.udf import udf
from table_common.tree import preorder

SOURCE = "CREATE TABLE s (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen')"
SINK = "CREATE TABLE k (a INT, b STRING) WITH ('connector' = 'blackhole', 'password' = 'hunter2')"
INSERT = "INSERT INTO k SELECT c, UPPER(b) FROM s WHERE a > 3"


def _environment(*statements: str) -> TableEnvironment:
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for statement in statements:
        environment.execute_sql(statement)
    return environment


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the tables s and k."""
    with _environment(SOURCE, SINK) as environment:
        yield environment


def _double(value: int) -> int:
    return 2 * value


def test_a_plan_is_read_back_as_it_was(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    (operation,) = read_plan(text, plain.session).operations
    assert operation == plain.session.parse(INSERT)


def test_a_plan_with_a_watermark_is_read_back_as_it_was() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as streaming:
        streaming.execute_sql(
            "CREATE TABLE e (s STRING, ts AS TO_TIMESTAMP(s), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen')"
        )
        streaming.execute_sql("CREATE TABLE k (ts TIMESTAMP(3)) WITH ('connector' = 'blackhole')")
        insert = "INSERT INTO k SELECT ts FROM e"
        text = streaming.compile_plan_sql(insert).as_json_string()
        (operation,) = read_plan(text, streaming.session).operations
        assert operation == streaming.session.parse(insert)
        assert sum(isinstance(node, WatermarkQueryOperation) for node in preorder(operation.child, QueryOperation)) == 1


def test_a_batch_plan_of_the_version_before_watermarks_is_read(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string().replace('"planVersion": 3', '"planVersion": 2')
    (operation,) = read_plan(text, plain.session).operations
    assert operation == plain.session.parse(INSERT)


def test_a_statement_set_is_one_plan(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO k SELECT a, b FROM s; INSERT INTO k VALUES (1, 'x'); END"
    ).as_json_string()
    assert len(read_plan(text, plain.session).operations) == 2


def test_the_table_api_compiles_pipelines_and_sets(plain: TableEnvironment) -> None:
    pipeline = plain.from_path("s").select(col("a"), col("b")).insert_into("k")
    statements = plain.create_statement_set().add(pipeline)
    assert pipeline.compile_plan().as_json_string() == statements.compile_plan().as_json_string()


def test_a_plan_says_its_version_and_mode(plain: TableEnvironment) -> None:
    document = json.loads(plain.compile_plan_sql(INSERT).as_json_string())
    assert (document["planVersion"], document["runtimeMode"]) == (3, "batch")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT 1", "it is not JSON"),
        ("[]", "no planVersion"),
        ('{"flinkVersion": "2.3"}', "only Flink runs"),
        ('{"planVersion": 1}', "version 1, but this release reads version 3"),
        ('{"planVersion": 2, "runtimeMode": "streaming"}', "version 2, but this release reads version 3"),
        ('{"planVersion": 2, "runtimeMode": "batch"}', "list of sinks is missing"),
        ('{"planVersion": 3, "runtimeMode": "streaming"}', "compiled in streaming mode"),
        ('{"planVersion": 3, "runtimeMode": "batch"}', "list of sinks is missing"),
        ('{"planVersion": 3, "runtimeMode": "batch", "sinks": [1], "nodes": [{"id": 1, "type": "Popen"}]}', "Kind of node 'Popen'"),
        ('{"planVersion": 3, "runtimeMode": "batch", "sinks": [1], "nodes": [{"id": 1, "type": "Filter", "x": 1}]}', "Filter has no x"),
        ('{"planVersion": 3, "runtimeMode": "batch", "sinks": [1], "nodes": [{"id": 1, "type": "Filter"}]}', "node 1"),
    ],
)
def test_what_is_no_plan_is_refused(plain: TableEnvironment, text: str, message: str) -> None:
    with pytest.raises((ValidationException, TableException), match=message):
        plain.load_plan(PlanReference.from_json_string(text))


def test_compile_plan_writes_a_file_once(plain: TableEnvironment, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    plain.execute_sql(f"COMPILE PLAN '{file}' FOR {INSERT}")
    first = file.read_text(encoding="utf-8")
    plain.execute_sql(f"COMPILE PLAN '{file}' IF NOT EXISTS FOR INSERT INTO k VALUES (1, 'x')")
    assert file.read_text(encoding="utf-8") == first
    with pytest.raises(TableException, match="exists already"):
        plain.execute_sql(f"COMPILE PLAN '{file}' FOR {INSERT}")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_force_recompile_writes_over_a_file(plain: TableEnvironment, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    plain.execute_sql(f"COMPILE PLAN '{file}' FOR {INSERT}")
    plain.execute_sql("SET 'table.plan.force-recompile' = 'true'")
    plain.execute_sql(f"COMPILE PLAN '{file}' FOR INSERT INTO k VALUES (1, 'x')")
    assert '"Values"' in file.read_text(encoding="utf-8")


def test_a_plan_file_that_is_not_there_is_named(plain: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"There is no compiled plan '/nowhere/plan\.json'"):
        plain.execute_sql("EXECUTE PLAN '/nowhere/plan.json'")


def test_only_inserts_are_compiled(plain: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Only INSERT statements and statement sets"):
        plain.compile_plan_sql("SELECT 1")


def test_secrets_stay_out_of_plans_and_come_from_the_catalog(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    assert "hunter2" not in text
    (operation,) = read_plan(text, plain.session).operations
    assert operation.table.table.options["password"] == "hunter2"


def test_a_table_without_its_secret_is_refused(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    with _environment(SOURCE) as other, pytest.raises(ValidationException, match="secret options are not in the plan: password"):
        read_plan(text, other.session)


def test_a_plan_brings_tables_that_the_catalog_lacks(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    with _environment(SINK) as other:
        (operation,) = read_plan(text, other.session).operations
    expected = plain.session.parse(INSERT).children[0]
    assert query_text(operation.child) == query_text(expected)


def test_a_plan_of_identifiers_needs_the_catalog(plain: TableEnvironment) -> None:
    plain.execute_sql("SET 'table.plan.compile.catalog-objects' = 'IDENTIFIER'")
    text = plain.compile_plan_sql(INSERT).as_json_string()
    assert "datagen" not in text
    with _environment(SINK) as other, pytest.raises(ValidationException, match="its definition is not in the plan"):
        read_plan(text, other.session)


def test_a_table_with_other_columns_than_planned_is_refused(plain: TableEnvironment) -> None:
    text = plain.compile_plan_sql(INSERT).as_json_string()
    plain.execute_sql("ALTER TABLE s ADD z INT FIRST")
    with pytest.raises(ValidationException, match="has other columns than when the plan was compiled"):
        read_plan(text, plain.session)


def test_a_function_without_a_name_is_not_compiled(plain: TableEnvironment) -> None:
    function = udf(_double, result_type="BIGINT")
    doubled = plain.from_path("s").select(call(function, col("a")), col("b"))
    plain.execute_sql("CREATE TABLE big (a BIGINT, b STRING) WITH ('connector' = 'blackhole')")
    with pytest.raises(TableException, match="is not registered and not a class of a module"):
        doubled.insert_into("big").compile_plan()


def test_a_registered_function_is_found_by_its_name(plain: TableEnvironment) -> None:
    plain.create_temporary_system_function("twice", udf(_double, result_type="BIGINT"))
    plain.execute_sql("CREATE TABLE big (a BIGINT) WITH ('connector' = 'blackhole')")
    text = plain.compile_plan_sql("INSERT INTO big SELECT twice(a) FROM s").as_json_string()
    (operation,) = read_plan(text, plain.session).operations
    assert operation == plain.session.parse("INSERT INTO big SELECT twice(a) FROM s")
    with _environment() as other, pytest.raises(ValidationException, match="`twice`, which is not registered"):
        read_plan(text, other.session)


def test_a_plan_is_written_to_a_file_and_loaded(plain: TableEnvironment, tmp_path: Path) -> None:
    plan = plain.compile_plan_sql(INSERT)
    plan.write_to_file(tmp_path / "p.json")
    plan.write_to_file(tmp_path / "p.json", ignore_if_exists=True)
    assert plain.load_plan(PlanReference.from_file(tmp_path / "p.json")).as_json_string() == plan.as_json_string()


def _edited(environment: TableEnvironment, edit: Callable[[dict[str, Any]], None]) -> str:
    """Returns a plan of a few operations after a change of its JSON."""
    environment.execute_sql("CREATE TEMPORARY TABLE nowhere (a INT, n BIGINT) WITH ('connector' = 'blackhole')")
    query = "SELECT a + 1, COUNT(*) FROM (VALUES (1, 'x'), (2, 'y')) AS t(a, b) WHERE b <> 'z' GROUP BY GROUPING SETS ((a), (b))"
    document = json.loads(environment.compile_plan_sql(f"INSERT INTO nowhere {query.replace('a + 1', 'a')}").as_json_string())
    edit({node["type"]: node for node in document["nodes"]})
    return json.dumps(document)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda nodes: nodes["Filter"].update(child="x"), r"node \d+ \(Filter\): the field 'child' of a Filter has the wrong type"),
        (lambda nodes: nodes["Filter"]["condition"].update(function={"$function": "PLUS"}), r"\(Filter\): PLUS\(.*\) is not a valid call"),
        (lambda nodes: nodes["Filter"]["condition"]["args"][0].update(field_index=7), r"\(Filter\): the column 'b' is not in its input"),
        (
            lambda nodes: nodes["Filter"]["condition"]["args"][0].update(field_index=0),
            r"\(Filter\): the column 'b' has another type in its input",
        ),
        (lambda nodes: nodes["Aggregate"].update(grouping_sets=[[0], [5]]), r"\(Aggregate\): a grouping set has a key that does not exist"),
        (lambda nodes: nodes["Values"]["rows"][0][0].update(value="x"), r"\(Values\): a constant is no INT"),
        (lambda nodes: nodes["Values"]["rows"][0].pop(), r"\(Values\): a row has values of other types than its columns"),
        (
            lambda nodes: nodes["SinkModifyOperation"]["table"]["$table"].update(columns=1),
            "the field 'columns' of a table has the wrong type",
        ),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused_with_the_node(
    plain: TableEnvironment, edit: Callable[[dict[str, Any]], None], message: str
) -> None:
    text = _edited(plain, edit)
    with pytest.raises(TableException, match=message):
        plain.load_plan(PlanReference.from_json_string(text))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (("measures", 0, "values", 0, "column"), "the column 'p' has another type in its input"),
        (("measures", 0, "expression"), "the column '.*' is not in its input"),
        (("order_by", 0, "expression"), "the column 't' is not in its input"),
    ],
)
def test_a_pattern_whose_columns_are_not_there_is_refused(plain: TableEnvironment, path: tuple[Any, ...], message: str) -> None:
    plain.execute_sql("CREATE TEMPORARY TABLE nowhere (s STRING, p INT) WITH ('connector' = 'blackhole')")
    rows = "(SELECT * FROM (VALUES ('a', TIMESTAMP '2020-01-01 00:00:00', 1)) AS v (s, t, p))"
    query = f"SELECT * FROM {rows} MATCH_RECOGNIZE (PARTITION BY s ORDER BY t MEASURES A.p AS q PATTERN (A) DEFINE A AS A.p > 0)"
    document = json.loads(plain.compile_plan_sql(f"INSERT INTO nowhere {query}").as_json_string())
    place = next(node for node in document["nodes"] if node["type"] == "MatchRecognize")
    for key in path:
        place = place[key]
    place["field_index"] = 0 if path[-1] == "column" else 9
    with pytest.raises(TableException, match=message):
        plain.load_plan(PlanReference.from_json_string(json.dumps(document)))
