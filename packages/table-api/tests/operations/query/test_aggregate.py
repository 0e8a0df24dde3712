"""Aggregates: their schema, and what EXPLAIN shows."""

from __future__ import annotations

import pytest

from table_api.operations import AggregateCall, AggregateQueryOperation, SortOrder, ValuesQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import aggregates
from table_common.types import BigIntType, BooleanType, IntType, VarCharType

SCHEMA = ResolvedSchema.physical([("a", IntType(nullable=False)), ("b", VarCharType(nullable=False)), ("c", BooleanType())])
A, B, C = (FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(SCHEMA.columns))
COUNT = AggregateCall(aggregates.COUNT, (), BigIntType(nullable=False))


def aggregate(*keys: FieldReferenceExpression, sets: tuple[tuple[int, ...], ...] | None = None) -> AggregateQueryOperation:
    names = (*(key.name for key in keys), "n")
    return AggregateQueryOperation(keys, (COUNT,), names, ValuesQueryOperation((), SCHEMA), sets)


def test_the_schema_is_the_grouping_columns_and_then_the_aggregates() -> None:
    assert aggregate(A, B).resolved_schema == ResolvedSchema.physical(
        [("a", IntType(nullable=False)), ("b", VarCharType(nullable=False)), ("n", BigIntType(nullable=False))]
    )


def test_with_grouping_sets_a_column_that_a_set_lacks_is_nullable_and_the_id_comes_last() -> None:
    schema = aggregate(A, B, sets=((0, 1), (0,))).resolved_schema
    assert schema.column_names == ("a", "b", "n", "$grouping_id")
    assert [type_.nullable for type_ in schema.column_types] == [False, True, False, False]


@pytest.mark.parametrize(("grouping_set", "expected"), [((0, 1), 0b00), ((0,), 0b01), ((1,), 0b10), ((), 0b11)])
def test_the_bit_of_a_column_that_is_not_in_the_set_is_one(grouping_set: tuple[int, ...], expected: int) -> None:
    assert aggregate(A, B, sets=((0, 1),)).grouping_id_of(grouping_set) == expected


def test_only_an_aggregate_without_groups_is_one_group() -> None:
    assert aggregate().is_one_group
    assert not aggregate(A).is_one_group
    assert not aggregate(sets=((),)).is_one_group


def test_a_name_is_needed_for_each_column() -> None:
    with pytest.raises(AssertionError):
        AggregateQueryOperation((A,), (COUNT,), ("a",), ValuesQueryOperation((), SCHEMA))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (COUNT, "COUNT(*)"),
        (AggregateCall(aggregates.COUNT, (A,), BigIntType(), distinct=True), "COUNT(DISTINCT a)"),
        (AggregateCall(aggregates.MAX, (A,), IntType(), filter=C), "MAX(a) FILTER (WHERE c)"),
        (AggregateCall(aggregates.LISTAGG, (B,), VarCharType(), constant_args=(";",)), "LISTAGG(b, ';')"),
        (
            AggregateCall(aggregates.FIRST_VALUE, (B,), VarCharType(), order_by=(SortOrder(A, True, True),)),
            f"FIRST_VALUE(b) WITHIN GROUP (ORDER BY {SortOrder(A, True, True)})",
        ),
    ],
)
def test_a_call_is_shown_as_sql(call: AggregateCall, text: str) -> None:
    assert str(call) == text


def test_explain_shows_groups_sets_and_named_aggregates() -> None:
    assert list(aggregate(A, B, sets=((0, 1), ())).summary_details()) == [
        ("groupBy", ["a", "b"]),
        ("groupingSets", [["a", "b"], []]),
        ("select", ["COUNT(*) AS n"]),
    ]
