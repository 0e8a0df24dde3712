"""Sources of changes become, in batch, the rows that the changes leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import pytest

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.materialize_changes import materialize_changes
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.catalog import UniqueConstraint
from table_common.connector import ChangelogMode, ScanTableSource
from table_common.exceptions import TableException
from table_common.tree import transform_up


class Changes(ScanTableSource):
    """A source of a changelog mode."""

    def __init__(self, mode: ChangelogMode) -> None:
        self.mode = mode

    def copy(self) -> Self:
        return type(self)(self.mode)

    def as_summary_string(self) -> str:
        return "changes"

    def get_changelog_mode(self) -> ChangelogMode:
        return self.mode

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


def rewritten(session: Any, mode: ChangelogMode, *key: str) -> list[str]:
    """Returns the lines of the plan of ``SELECT * FROM t`` over such a source."""

    def prepare(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, SourceQueryOperation):
            return node
        found = node.table.table
        constraint = UniqueConstraint("pk", key) if key else None
        table = replace(found, resolved_schema=replace(found.resolved_schema, primary_key=constraint))
        return replace(node, source=Changes(mode), table=replace(node.table, table=table))

    operation = convert_statement(parse_statement("SELECT * FROM t"), session, "SELECT * FROM t")
    assert isinstance(operation, QueryOperation)
    return plan_text(materialize_changes(transform_up(operation, QueryOperation, prepare), RuleContext(session))).splitlines()


def test_with_a_key_the_last_change_of_each_stays_if_it_adds(session: Any) -> None:
    lines = rewritten(session, ChangelogMode.all(), "name")
    assert any("$age = 1) AND (MOD($change, 2) = 0)" in line for line in lines)
    assert any("Window(partitionBy=[name], orderBy=[$change DESC]" in line for line in lines)
    assert "$change" in lines[-1]


def test_without_a_key_rows_stay_that_were_added_more_often(session: Any) -> None:
    lines = rewritten(session, ChangelogMode.all())
    assert any("$number <= $count" in line for line in lines)
    assert sum("Window(" in line for line in lines) == 2


def test_updates_without_the_row_before_need_a_key(session: Any) -> None:
    with pytest.raises(TableException, match="needs a primary key"):
        rewritten(session, ChangelogMode.upsert())


def test_rows_that_never_change_are_left_alone(session: Any) -> None:
    assert "$change" not in "".join(rewritten(session, ChangelogMode.insert_only()))
