"""Compiled plans whose operations contradict each other are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_api import EnvironmentSettings, PlanReference, TableEnvironment, TableException

SOURCE = "CREATE TABLE s (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen')"


SINK = "CREATE TABLE k (a INT, b STRING) WITH ('connector' = 'blackhole', 'password' = 'hunter2')"


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
        (
            lambda nodes: nodes["Aggregate"]["aggregates"][0].update(function={"$function": "MAX"}),
            r"\(Aggregate\): MAX takes 1 argument, but got 0",
        ),
        (
            lambda nodes: nodes["Aggregate"]["aggregates"][0].update(args=nodes["Aggregate"]["grouping"] * 2, output_type={"$type": "INT"}),
            r"\(Aggregate\): COUNT gives BIGINT, not INT",
        ),
        (
            lambda nodes: nodes["Aggregate"]["aggregates"][0].update(filter=nodes["Aggregate"]["grouping"][0]),
            r"\(Aggregate\): the filter of COUNT is not a BOOLEAN",
        ),
        (
            lambda nodes: nodes["Aggregate"]["aggregates"][0].update(constant_args=[[1]]),
            r"\(Aggregate\): a constant argument of COUNT has the wrong type",
        ),
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


@pytest.mark.parametrize(
    "clauses",
    [
        "AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE A AS A.p > 0",
        "AFTER MATCH SKIP TO LAST A PATTERN (A B) DEFINE B AS B.p > 0",
    ],
)
def test_a_pattern_without_a_variable_that_is_used_is_refused(plain: TableEnvironment, clauses: str) -> None:
    plain.execute_sql("CREATE TEMPORARY TABLE nowhere (p INT) WITH ('connector' = 'blackhole')")
    rows = "(SELECT * FROM (VALUES (TIMESTAMP '2020-01-01 00:00:00', 1)) AS v (t, p))"
    query = f"SELECT * FROM {rows} MATCH_RECOGNIZE (ORDER BY t MEASURES B.p AS q {clauses})"
    document = json.loads(plain.compile_plan_sql(f"INSERT INTO nowhere {query}").as_json_string())
    place = next(node for node in document["nodes"] if node["type"] == "MatchRecognize")
    place["pattern"][0]["name"] = "INT"
    with pytest.raises(TableException, match=r"\(MatchRecognize\): the pattern has no variable 'A'"):
        plain.load_plan(PlanReference.from_json_string(json.dumps(document)))


def test_from_changelog_over_a_column_that_is_not_there_is_refused() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as environment:
        environment.execute_sql(SINK)
        query = "SELECT a, op AS b FROM FROM_CHANGELOG((SELECT 1 AS a, 'c' AS op, 'd' AS kind), DESCRIPTOR(kind), MAP['d', 'INSERT'])"
        document = json.loads(environment.compile_plan_sql(f"INSERT INTO k {query}").as_json_string())
        environment.load_plan(PlanReference.from_json_string(json.dumps(document)))
        (node,) = (node for node in document["nodes"] if node["type"] == "FromChangelog")
        node["op"]["field_index"] = 7
        with pytest.raises(TableException, match=r"\(FromChangelog\): the column 'kind' is not in its input"):
            environment.load_plan(PlanReference.from_json_string(json.dumps(document)))


def test_a_window_function_with_an_argument_of_another_type_is_refused(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TEMPORARY TABLE nowhere (a INT) WITH ('connector' = 'blackhole')")
    query = "SELECT LAG(a, 1, 5) OVER (ORDER BY a) FROM (VALUES 1, 2) AS v (a)"
    document = json.loads(plain.compile_plan_sql(f"INSERT INTO nowhere {query}").as_json_string())
    plain.load_plan(PlanReference.from_json_string(json.dumps(document)))
    (window,) = (node for node in document["nodes"] if node["type"] == "Window")
    window["calls"][0]["args"][2].update(value={"$decimal": "1.5"}, output_type={"$type": "DECIMAL(2, 1) NOT NULL"})
    with pytest.raises(TableException, match=r"\(Window\): LAG "):
        plain.load_plan(PlanReference.from_json_string(json.dumps(document)))
