from __future__ import annotations

import pytest

from table_api.operations import FilterQueryOperation, QueryOperation, ValuesQueryOperation
from table_api.operations.operation import Operation
from table_common.catalog import ResolvedSchema
from table_common.expressions import ValueLiteralExpression
from table_common.types import BooleanType, IntType

TRUE = ValueLiteralExpression(True, BooleanType(nullable=False))
SCHEMA = ResolvedSchema.physical([("a", IntType())])


def test_the_schema_of_a_chain_is_that_of_its_beginning() -> None:
    chain: QueryOperation = ValuesQueryOperation((), SCHEMA)
    for _ in range(5_000):
        chain = FilterQueryOperation(TRUE, chain)
    assert chain.resolved_schema is SCHEMA


def test_each_operation_of_a_chain_looks_for_the_schema_below_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Operation] = []
    children = Operation.children.fget
    assert children is not None

    def counted(node: Operation) -> tuple[QueryOperation, ...]:
        seen.append(node)
        return children(node)

    monkeypatch.setattr(Operation, "children", property(counted))
    chain: QueryOperation = ValuesQueryOperation((), SCHEMA)
    for _ in range(100):
        chain = FilterQueryOperation(TRUE, chain)
        assert chain.resolved_schema is SCHEMA
    assert len(seen) == 100
