from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.reuse_subplans import reuse_subplans
from table_api.plan.rules.share_scans import remove_shared_scans, share_scans
from table_api.plan.shared_scan import SharedScanQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.configuration import Configuration
from table_common.tree import preorder

TWICE = "SELECT name FROM t WHERE age > 1 UNION ALL SELECT name FROM t"


def shared(session: Any, sql: str) -> QueryOperation:
    operation = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(operation, QueryOperation)
    context = RuleContext(session)
    return share_scans(reuse_subplans(operation, context), context)


def barriers(plan: QueryOperation) -> list[SharedScanQueryOperation]:
    return [node for node in preorder(plan, QueryOperation) if isinstance(node, SharedScanQueryOperation)]


def test_a_scan_with_several_readers_is_marked_once(session: Any) -> None:
    (barrier,) = barriers(shared(session, TWICE))
    assert isinstance(barrier.child, SourceQueryOperation)
    assert not barriers(shared(session, "SELECT name FROM t UNION ALL SELECT name FROM u"))


def test_columns_of_all_readers_are_united_below_the_mark(session: Any) -> None:
    (barrier,) = barriers(
        prune_columns(shared(session, "SELECT name FROM t WHERE age > 1 UNION ALL SELECT name FROM t"), RuleContext(session))
    )
    assert set(barrier.resolved_schema.column_names) == {"name", "age"}
    (barrier,) = barriers(
        prune_columns(shared(session, "SELECT name FROM t WHERE name > 'a' UNION ALL SELECT name FROM t"), RuleContext(session))
    )
    assert barrier.resolved_schema.column_names == ("name",)
    assert isinstance(barrier.child, ProjectQueryOperation)


def test_the_marks_are_removed(session: Any) -> None:
    plan = remove_shared_scans(shared(session, TWICE), RuleContext(session))
    assert not barriers(plan)
    assert len({id(node) for node in preorder(plan, QueryOperation) if isinstance(node, SourceQueryOperation)}) == 1
    assert any(isinstance(node, FilterQueryOperation) for node in preorder(plan, QueryOperation))


@pytest.mark.parametrize("key", ["table.optimizer.reuse-source-enabled", "table.optimizer.reuse-sub-plan-enabled"])
def test_the_session_may_forbid_it(session: Any, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    plan = shared(session, TWICE)
    monkeypatch.setattr(session, "configuration", Configuration({key: "false"}), raising=False)
    plan = remove_shared_scans(plan, RuleContext(session))
    assert share_scans(plan, RuleContext(session)) is plan
