"""Statements in streaming mode on the embedded engine."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import CollectModifyOperation
from table_api.plan.optimizer import optimize_stream
from table_common.exceptions import ValidationException
from table_runtime.planner.streaming import stream_graph
from table_runtime.streaming.graph.graph import Edge

CDC = [
    '{"before":null,"after":{"id":1,"s":"a"},"op":"c"}',
    '{"before":null,"after":{"id":2,"s":"a"},"op":"c"}',
    '{"before":{"id":1,"s":"a"},"after":{"id":1,"s":"b"},"op":"u"}',
    '{"before":{"id":2,"s":"a"},"after":null,"op":"d"}',
]


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    (tmp_path / "cdc.json").write_text("\n".join(CDC))
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as env:
        env.execute_sql(
            f"CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'cdc.json'}', 'format' = 'debezium-json')"
        )
        yield env


def changes(env: TableEnvironment, sql: str) -> list[str]:
    with env.execute_sql(sql).collect() as rows:
        return [f"{row.get_row_kind()}{list(row)}" for row in rows]


def test_changes_of_a_source_reach_the_result_in_order(env: TableEnvironment) -> None:
    assert changes(env, "SELECT s, id + 1 AS n FROM t") == ["+I['a', 2]", "+I['a', 3]", "-U['a', 2]", "+U['b', 2]", "-D['a', 3]"]


def test_rows_of_a_filter_keep_their_kinds(env: TableEnvironment) -> None:
    assert changes(env, "SELECT id FROM t WHERE s = 'b'") == ["+U[1]"]


def test_aggregates_follow_the_changes_of_their_input(env: TableEnvironment) -> None:
    given = ["+I['a', 1]", "-U['a', 1]", "+U['a', 2]", "-U['a', 2]", "+U['a', 1]", "+I['b', 1]", "-D['a', 1]"]
    assert changes(env, "SELECT s, COUNT(*) AS n FROM t GROUP BY s") == given


def test_unnested_elements_have_the_kind_of_their_row(env: TableEnvironment) -> None:
    assert changes(env, "SELECT id, e FROM t CROSS JOIN UNNEST(ARRAY[s, 'z']) AS u(e) WHERE id = 2") == [
        "+I[2, 'a']",
        "+I[2, 'z']",
        "-D[2, 'a']",
        "-D[2, 'z']",
    ]


def test_mini_batches_emit_net_changes(env: TableEnvironment) -> None:
    env.execute_sql("SET 'table.exec.mini-batch.enabled' = 'true'")
    assert changes(env, "SELECT s, COUNT(*) AS n FROM t GROUP BY s") == ["+I['b', 1]"]


def test_the_plan_shows_the_changes_of_each_node_and_the_graph(env: TableEnvironment) -> None:
    text = env.execute_sql("EXPLAIN CHANGELOG_MODE SELECT DISTINCT s FROM t").collect().__next__()[0]
    assert "Distinct(changelogMode=[I,UB,UA,D])" in text
    assert "+- Distinct(fields=[s])\n" in text


def test_a_table_that_a_query_reads_twice_is_scanned_once(env: TableEnvironment) -> None:
    sql = "SELECT a.id, b.s FROM t AS a JOIN t AS b ON a.id = b.id"
    plan = env.explain_sql(sql)
    assert "Reused(#1)" in plan[plan.index("== Optimized") : plan.index("== Physical")]
    remaining: list[str] = []
    for change in changes(env, sql):
        if change[0] == "+":
            remaining.append(change[2:])
        else:
            remaining.remove(change[2:])
    assert remaining == ["[1, 'b']"]


def test_a_sink_receives_the_kinds_that_it_accepts(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE o (s STRING, n BIGINT, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'memory')")
    env.execute_sql("INSERT INTO o SELECT s, COUNT(*) FROM t GROUP BY s").wait()
    assert sorted(row[0] for row in env.execute_sql("SELECT s FROM o").collect()) == ["b"]


def test_to_changelog_and_from_changelog_are_inverse(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TEMPORARY VIEW c AS SELECT * FROM TO_CHANGELOG(TABLE t, DESCRIPTOR(kind))")
    assert changes(env, "SELECT kind, s FROM c WHERE id = 2") == ["+I['INSERT', 'a']", "+I['DELETE', 'a']"]
    assert changes(env, "SELECT * FROM FROM_CHANGELOG(TABLE c, DESCRIPTOR(kind))") == changes(env, "SELECT * FROM t")


def test_from_changelog_reads_only_the_columns_that_are_used(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TEMPORARY VIEW c AS SELECT id, kind, s, id + 1 AS n FROM TO_CHANGELOG(TABLE t, DESCRIPTOR(kind))")
    whole = changes(env, "SELECT n, s FROM FROM_CHANGELOG(TABLE c, DESCRIPTOR(kind))")
    assert whole == changes(env, "SELECT id + 1 AS n, s FROM t")
    sql = "SELECT n FROM FROM_CHANGELOG(TABLE c, DESCRIPTOR(kind))"
    assert changes(env, sql) == [f"{change[:2]}[{change[3:].partition(',')[0]}]" for change in whole]
    assert "Project(select=[kind, (id + 1) AS n])" in env.explain_sql(sql).partition("== Optimized")[2]


def test_to_changelog_emits_changes_of_columns_that_no_consumer_reads(env: TableEnvironment) -> None:
    sql = "SELECT op FROM TO_CHANGELOG((SELECT s, COUNT(*) AS n FROM t GROUP BY s)) WHERE s = 'a'"
    assert changes(env, sql) == [f"+I['{kind}']" for kind in ("INSERT", *("UPDATE_BEFORE", "UPDATE_AFTER") * 2, "DELETE")]


def test_to_changelog_beside_a_window(env: TableEnvironment) -> None:
    found = changes(env, "SELECT s, ROW_NUMBER() OVER (ORDER BY id) AS n FROM TO_CHANGELOG(TABLE t)")
    assert sorted(text for text in found if text.startswith("+I"))


def test_updates_are_written_to_files_of_a_changelog_format_with_the_row_before_and_after(env: TableEnvironment, tmp_path: Path) -> None:
    for format_ in ("debezium-json", "canal-json", "ogg-json", "maxwell-json"):
        path = tmp_path / format_
        env.execute_sql(
            f"CREATE TABLE `{format_}` (n BIGINT, s STRING) PARTITIONED BY (s) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}')"
        )
        env.execute_sql(f"INSERT INTO `{format_}` SELECT COUNT(*), s FROM t GROUP BY s").wait()
        given = ["+I[1, 'a']", "-D[1, 'a']", "+I[2, 'a']", "-D[2, 'a']", "+I[1, 'a']", "-D[1, 'a']", "+I[1, 'b']"]
        assert changes(env, f"SELECT * FROM `{format_}`") == given, format_


def test_updates_are_refused_by_files_of_other_formats(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(
        f"CREATE TABLE j (n BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'j'}', 'format' = 'json')"
    )
    with pytest.raises(ValidationException, match=r"j accepts no updates and deletions"):
        env.execute_sql("INSERT INTO j SELECT COUNT(*), s FROM t GROUP BY s")


def test_the_graph_of_a_plan_is_there_for_other_engines(env: TableEnvironment) -> None:
    session: Any = env.session
    operation = session.parse("SELECT s, COUNT(*) AS n FROM t GROUP BY s")
    plan = optimize_stream([CollectModifyOperation(operation)], session, session.planner)
    assert plan is not None
    graph = pickle.loads(pickle.dumps(stream_graph(plan, env.get_config())))
    assert [source.table for source in graph.sources] == ["default_catalog.default_database.t"]
    assert [node.operator.name for node in graph.nodes] == ["GroupAggregate", "Rows"]
    assert graph.nodes[-1].edges == [Edge(None, 0)]
