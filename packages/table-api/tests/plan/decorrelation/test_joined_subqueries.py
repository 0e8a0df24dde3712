"""Which nodes may have subqueries; what becomes of them is in ``rules/subquery_to_join.test``."""

from __future__ import annotations

import pytest

from table_api.operations import (
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    ProjectQueryOperation,
    SourceQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.decorrelation.joined_subqueries import rewrite_node


@pytest.mark.parametrize(
    "node", [FilterQueryOperation, JoinQueryOperation, ProjectQueryOperation, UnnestQueryOperation, ValuesQueryOperation]
)
def test_a_node_with_expressions_over_its_rows_may_have_subqueries(node: type) -> None:
    assert not rewrite_node.missing([node])


@pytest.mark.parametrize("node", [DistinctQueryOperation, SourceQueryOperation])
def test_a_node_without_expressions_has_none(node: type) -> None:
    assert rewrite_node.missing([node]) == {node}
