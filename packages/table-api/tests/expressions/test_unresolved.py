"""Unresolved expressions: equality without spans, and children."""

from __future__ import annotations

from table_api.expressions.unresolved import (
    Alias,
    Call,
    FrameBound,
    FrameBoundKind,
    Over,
    OverWindowSpec,
    Reference,
    SortKey,
    Span,
    UnresolvedExpression,
)
from table_common.functions.builtin import aggregates
from table_common.tree import preorder

A, B, C = (Reference((name,)) for name in "abc")


def test_spans_take_no_part_in_equality() -> None:
    assert Reference(("a",), span=Span(0, 1), part_spans=(Span(0, 1),)) == A
    assert hash(Reference(("a",), span=Span(0, 1))) == hash(A)


def test_the_name_span_of_a_call_takes_no_part_in_equality() -> None:
    assert Call(("f",), (A,), name_span=Span(0, 1)) == Call(("f",), (A,))


def test_children_of_a_call_include_its_filter_and_order() -> None:
    call = Call(("f",), (A,), filter=B, order_by=(SortKey(C),))
    assert [node for node in preorder(call, UnresolvedExpression) if isinstance(node, Reference)] == [A, B, C]


def test_children_of_over_include_the_window_specification() -> None:
    bound = FrameBound(FrameBoundKind.PRECEDING, C)
    over = Over(Call(aggregates.SUM, (A,)), OverWindowSpec((B,), lower=bound))
    assert [node for node in preorder(over, UnresolvedExpression) if isinstance(node, Reference)] == [A, B, C]


def test_the_alias_is_a_part_of_equality() -> None:
    assert Alias(A, "x") != Alias(A, "y")
