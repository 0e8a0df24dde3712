"""EXPLAIN: the trees of text, and the sections that details add."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from table_api import ExplainDetail, TableEnvironment
from table_api.operations import CollectModifyOperation, JoinQueryOperation, JoinType, QueryOperation
from table_api.plan.explain import explain_operations, plan_text

if TYPE_CHECKING:
    from conftest import FakePlanner

QUERY = "SELECT a FROM t WHERE a > 1"


def query(env: TableEnvironment, sql: str = QUERY) -> QueryOperation:
    return env.sql_query(sql).query_operation


def explained(env: TableEnvironment, planner: FakePlanner, *details: ExplainDetail) -> dict[str, str]:
    """Returns the text of each section by its title."""
    text = explain_operations([CollectModifyOperation(query(env))], env.session, planner, details)
    sections = [section.partition(" ==\n") for section in text.split("== ")[1:]]
    return {title: body.strip() for title, _, body in sections}


def test_each_child_is_indented_below_its_parent(env: TableEnvironment) -> None:
    join = JoinQueryOperation(query(env, "SELECT 1 AS a"), query(env, "SELECT 2 AS b"), JoinType.INNER, None)
    assert plan_text(join).splitlines() == [
        "Join(joinType=[InnerJoin], where=[true])",
        "+- Project(select=[1 AS a])",
        "|  +- Values(rows=[1], fields=[$row])",
        "+- Project(select=[2 AS b])",
        "   +- Values(rows=[1], fields=[$row])",
    ]


def test_a_shared_node_is_printed_once_and_then_by_number(env: TableEnvironment) -> None:
    shared = query(env, "SELECT 1 AS a")
    lines = plan_text(JoinQueryOperation(shared, shared, JoinType.INNER, None)).splitlines()
    assert lines[1] == "+- Project(select=[1 AS a]) #1"
    assert lines[3] == "+- Reused(#1)"


def test_the_details_of_a_node_can_be_replaced(env: TableEnvironment) -> None:
    text = plan_text(query(env, "SELECT 1 AS a"), lambda node: iter([("columns", list(node.resolved_schema.column_names))]))  # type: ignore[attr-defined]  # only queries here
    assert text.splitlines()[0] == "Project(columns=[a])"


def test_the_sections_are_the_plan_before_and_after_the_rewrites_and_that_of_the_engine(
    env: TableEnvironment, planner: FakePlanner
) -> None:
    sections = explained(env, planner)
    assert list(sections) == ["Abstract Syntax Tree", "Optimized Logical Plan", "Physical Plan (fake)"]
    assert sections["Abstract Syntax Tree"].startswith("CollectModify(")
    assert sections["Physical Plan (fake)"] == "fake plan of 1"


def test_plan_advice_lists_the_rules_that_changed_the_plan(env: TableEnvironment, planner: FakePlanner) -> None:
    assert "merge_projects" in explained(env, planner, ExplainDetail.PLAN_ADVICE)["Rewrites"].splitlines()


def test_changelog_mode_shows_the_kinds_of_changes(env: TableEnvironment, planner: FakePlanner) -> None:
    lines = explained(env, planner, ExplainDetail.CHANGELOG_MODE)["Optimized Logical Plan"].splitlines()
    assert lines[0].endswith("changelogMode=[NONE])")
    assert all(line.endswith("changelogMode=[I])") for line in lines[1:])


@pytest.mark.parametrize("has_estimates", [True, False])
def test_estimated_cost_shows_the_rows_that_the_engine_estimates(
    env: TableEnvironment, planner: FakePlanner, monkeypatch: pytest.MonkeyPatch, has_estimates: bool
) -> None:
    monkeypatch.setattr(planner, "estimated_rows", lambda root: (lambda node: 1234567.0) if has_estimates else None)
    plan = explained(env, planner, ExplainDetail.ESTIMATED_COST)["Optimized Logical Plan"]
    assert ("rowcount=[1.23457e+06]" in plan) is has_estimates


def test_the_plan_as_json_has_each_node_after_its_inputs(env: TableEnvironment, planner: FakePlanner) -> None:
    nodes = json.loads(explained(env, planner, ExplainDetail.JSON_EXECUTION_PLAN)["Physical Execution Plan"])["nodes"]
    assert [node["id"] for node in nodes] == list(range(1, len(nodes) + 1))
    assert (nodes[0]["pact"], nodes[-1]["pact"]) == ("Data Source", "Data Sink")
    assert nodes[-1]["predecessors"] == [{"id": len(nodes) - 1}]
