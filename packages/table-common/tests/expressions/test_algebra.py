from __future__ import annotations

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.expressions.algebra import (
    calls_of,
    conjunction,
    conjuncts,
    depth_of,
    disjunction,
    disjuncts,
    field_references,
    is_constant,
    is_deterministic,
    map_references,
    references,
    remap,
    written_size,
)
from table_common.functions.builtin import arithmetic, logic, math
from table_common.types import BooleanType, IntType

A, B, C = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("abc"))
ONE = ValueLiteralExpression(1, IntType(nullable=False))


def call(function: object, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(function, args, BooleanType())  # type: ignore[arg-type]  # any definition


def test_conjuncts_are_flattened_in_order_without_duplicates() -> None:
    assert conjuncts(call(logic.AND, call(logic.AND, A, B), A, C)) == [A, B, C]


def test_conjuncts_do_not_look_into_an_or() -> None:
    either = call(logic.OR, A, B)
    assert conjuncts(call(logic.AND, either, C)) == [either, C]
    assert disjuncts(either) == [A, B]


def test_a_predicate_without_and_is_its_only_conjunct() -> None:
    assert conjuncts(A) == [A]


def test_a_conjunction_of_one_part_is_the_part() -> None:
    assert conjunction([A]) is A
    assert conjuncts(conjunction([A, B, C])) == [A, B, C]
    assert disjuncts(disjunction([A, B])) == [A, B]


def test_a_conjunction_is_nullable_if_a_part_is() -> None:
    certain = ValueLiteralExpression(True, BooleanType(nullable=False))
    assert conjunction([certain, certain]).output_type == BooleanType(nullable=False)
    assert conjunction([certain, A]).output_type == BooleanType()


def test_references_are_pairs_of_input_and_position() -> None:
    right = FieldReferenceExpression("a", IntType(), 1, 0)
    assert references([call(logic.AND, A, call(logic.OR, C, right)), A]) == {(0, 0), (0, 2), (1, 0)}


def test_the_references_of_a_shared_subexpression_are_listed_once() -> None:
    shared = call(logic.NOT, A)
    assert field_references(call(logic.AND, shared, shared)) == [A]


def test_remap_moves_columns_and_keeps_unmoved_ones() -> None:
    moved = remap(call(logic.AND, A, B), {0: 5, 1: 1})
    assert references([moved]) == {(0, 5), (0, 1)}
    assert moved.children[1] is B


def test_map_references_replaces_a_reference_by_any_expression() -> None:
    assert map_references(A, lambda reference: ONE) is ONE
    assert map_references(call(logic.NOT, A), lambda reference: ONE).children == (ONE,)


def test_an_expression_with_a_random_call_is_not_deterministic() -> None:
    assert is_deterministic([A, call(arithmetic.PLUS, ONE, ONE)])
    assert not is_deterministic([A, call(arithmetic.PLUS, ONE, call(math.RAND))])


def test_a_constant_has_neither_columns_nor_random_calls() -> None:
    assert is_constant(call(arithmetic.PLUS, ONE, ONE))
    assert not is_constant(call(arithmetic.PLUS, ONE, A))
    assert not is_constant(call(math.RAND))


def test_size_counts_a_shared_subexpression_each_time_and_depth_its_longest_path() -> None:
    shared = call(logic.NOT, A)
    expression = call(logic.AND, shared, shared)
    assert written_size(expression) == 5
    assert depth_of(expression) == 3


def test_the_calls_of_a_function_are_found_in_arguments_too() -> None:
    inner = call(logic.NOT, A)
    outer = call(logic.NOT, call(logic.AND, inner, B))
    assert calls_of(logic.NOT, [outer, C]) == [outer, inner]
    assert calls_of(logic.OR, [outer, C]) == []
