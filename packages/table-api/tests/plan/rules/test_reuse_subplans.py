from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.reuse_subplans import reuse_subplans
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.configuration import Configuration
from table_common.tree import preorder


def rewritten(session: Any, sql: str) -> QueryOperation:
    operation = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(operation, QueryOperation)
    return reuse_subplans(operation, RuleContext(session))


def scans(plan: QueryOperation) -> int:
    return len({id(node) for node in preorder(plan, QueryOperation) if isinstance(node, SourceQueryOperation)})


def test_a_table_that_is_read_twice_is_one_scan(session: Any) -> None:
    assert scans(rewritten(session, "SELECT a.age FROM t a JOIN t b ON a.name = b.name")) == 1
    assert scans(rewritten(session, "SELECT name FROM t UNION ALL SELECT name FROM u")) == 2


def test_other_options_are_another_scan(session: Any) -> None:
    sql = "SELECT name FROM t /*+ OPTIONS('x' = '1') */ UNION ALL SELECT name FROM t"
    assert scans(rewritten(session, sql)) == 2
    assert (
        scans(
            rewritten(session, sql.replace("FROM t", "FROM t /*+ OPTIONS('x' = '1') */", 2).replace("*/ /*+ OPTIONS('x' = '1') */", "*/"))
        )
        == 1
    )


def test_equal_aggregates_are_one_node(session: Any) -> None:
    side = "(SELECT name, COUNT(*) AS c FROM t GROUP BY name)"
    text = plan_text(rewritten(session, f"SELECT a.c FROM {side} a JOIN {side} b ON a.name = b.name"))
    assert text.count("Aggregate(") == 1
    assert "Reused(#1)" in text


def test_random_values_are_not_shared(session: Any) -> None:
    text = plan_text(rewritten(session, "SELECT RAND() AS r FROM t UNION ALL SELECT RAND() AS r FROM t"))
    assert text.count("Project(") == 2


def test_the_session_may_forbid_it(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "configuration", Configuration({"table.optimizer.reuse-sub-plan-enabled": "false"}), raising=False)
    assert scans(rewritten(session, "SELECT a.age FROM t a JOIN t b ON a.name = b.name")) == 2
