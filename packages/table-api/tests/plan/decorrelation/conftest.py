"""Correlated queries, as they stand in EXISTS."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import FilterQueryOperation, QueryOperation, SubqueryExpression
from table_api.plan.decorrelation import aggregate, join  # noqa: F401  # they register their nodes
from table_api.plan.decorrelation.decorrelate import Decorrelation
from table_api.plan.decorrelation.outer_domain import Domain
from table_api.plan.decorrelation.result import Decorrelated
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.expressions import ResolvedExpression, conjuncts
from table_common.tree import preorder


class Correlated:
    """The subqueries in a filter over ``t``; ``decorrelated`` is the result for a query in EXISTS."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.domain: Domain

    def rows_and_subquery(self, condition: str) -> tuple[QueryOperation, SubqueryExpression]:
        """Returns the rows of ``t`` and the only subquery in the condition on them."""
        query = f"SELECT name FROM t WHERE {condition}"
        operation = convert_statement(parse_statement(query), self._session, query)
        assert isinstance(operation, QueryOperation)
        (node,) = (node for node in preorder(operation, QueryOperation) if isinstance(node, FilterQueryOperation))
        parts = (node for part in conjuncts(node.condition) for node in preorder(part, ResolvedExpression))
        (subquery,) = (part for part in parts if isinstance(part, SubqueryExpression))
        return node.child, subquery

    def decorrelated(self, query: str, **freedom: bool) -> Decorrelated:
        """Returns the decorrelated query of ``EXISTS (query)``."""
        rows, subquery = self.rows_and_subquery(f"EXISTS ({query})")
        self.domain = Domain(rows, subquery.arguments)
        return Decorrelation(self.domain, **freedom).unnest(subquery.query)


@pytest.fixture
def correlated(session: Any) -> Correlated:
    return Correlated(session)
