"""Chains of set operations are one node, however long they are."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import ProjectQueryOperation, QueryOperation, SetOperationType, SetQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException
from table_common.types import BigIntType, IntType


@pytest.fixture
def converted(session: Any) -> Any:
    def run(query: str) -> QueryOperation:
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        return operation

    return run


@pytest.mark.parametrize("word", ["UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"])
def test_a_chain_of_one_operation_is_one_node(converted: Any, word: str) -> None:
    operation = converted(f" {word} ".join(["SELECT age FROM t"] * 2_000))
    assert isinstance(operation, SetQueryOperation)
    assert len(operation.inputs) == 2_000


def test_another_operation_begins_another_node(converted: Any) -> None:
    operation = converted("SELECT age FROM t UNION ALL SELECT age FROM t UNION SELECT age FROM t UNION SELECT age FROM t")
    assert [type(one) for one in operation.inputs] == [SetQueryOperation, ProjectQueryOperation, ProjectQueryOperation]
    assert (operation.all, operation.inputs[0].all) == (False, True)


def test_order_by_within_a_chain_begins_another_node(converted: Any) -> None:
    operation = converted("(SELECT age FROM t UNION SELECT age FROM t ORDER BY age LIMIT 1) UNION SELECT age FROM t")
    assert len(operation.inputs) == 2


def test_the_types_of_a_chain_are_merged_over_all_inputs(converted: Any) -> None:
    operation = converted("SELECT age FROM t UNION ALL SELECT CAST(id AS INT) FROM u UNION ALL SELECT id FROM u")
    assert len(operation.inputs) == 3
    assert operation.resolved_schema.column_types == (BigIntType(),)


def test_intersect_compares_values_of_the_types_at_their_place(converted: Any) -> None:
    operation = converted("SELECT age FROM t INTERSECT SELECT age FROM t INTERSECT SELECT id FROM u")
    first = operation.inputs[0].child
    assert isinstance(first, SetQueryOperation)
    assert (first.kind, first.types) == (SetOperationType.INTERSECT, (IntType(),))


def test_a_wrong_link_of_a_chain_is_named_with_its_place(converted: Any) -> None:
    with pytest.raises(ValidationException, match="the left has 1 and the right 2") as caught:
        converted("SELECT age FROM t UNION SELECT age FROM t UNION SELECT name, age FROM t")
    assert caught.value.position is not None
