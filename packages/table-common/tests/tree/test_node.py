from __future__ import annotations

from table_common.frozen_dataclass import dataclass
from table_common.tree import Node, Part, children_of, map_children_of
from table_common.tree.node import children_getters, no_children, with_children


@dataclass(frozen=True, slots=True)
class Leaf(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Pair(Node):
    left: Node
    right: Node | None = None


@dataclass(frozen=True, slots=True)
class Order(Part):
    key: Node


@dataclass(frozen=True, slots=True)
class Sort(Node):
    orders: tuple[Order, ...]
    child: Node


A, B, C = Leaf("a"), Leaf("b"), Leaf("c")


def test_children_are_in_field_order_without_none() -> None:
    assert children_of(Pair(A, B), Node) == (A, B)
    assert children_of(Pair(A), Node) == (A,)
    assert children_of(A, Node) == ()


def test_children_inside_of_parts_are_found() -> None:
    assert children_of(Sort((Order(A), Order(B)), C), Node) == (A, B, C)


def test_a_class_without_nodes_needs_no_search() -> None:
    assert children_getters(Node)[Leaf] is no_children


def test_with_children_replaces_them_in_order() -> None:
    assert with_children(Sort((Order(A),), B), Node, [B, C]) == Sort((Order(B),), C)


def test_map_children_returns_the_same_object_if_nothing_changes() -> None:
    pair = Pair(A, B)
    assert map_children_of(pair, Node, lambda child: child) is pair


def test_map_children_changes_only_the_direct_children() -> None:
    nested = Pair(Pair(A, B), A)
    assert map_children_of(nested, Node, lambda child: C if child == A else child) == Pair(Pair(A, B), C)
