"""Children of every shape of node, and the walks over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

from table_common.frozen_dataclass import dataclass, field, replace
from table_common.tree import (
    Node,
    Part,
    children_of,
    fold,
    holds_only,
    inputs_first,
    map_children_of,
    preorder,
    reader_counts,
    transform_down,
    transform_up,
)
from table_common.tree.node import HOLDS_NO_NODES

if TYPE_CHECKING:
    from table_common.functions import FunctionDefinition


class Tree(Node):
    """The kind that is walked."""

    __slots__ = ()


class Other(Node):
    """Nodes of another tree."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Leaf(Tree):
    name: str


@dataclass(frozen=True, slots=True)
class One(Tree):
    child: Tree


@dataclass(frozen=True, slots=True)
class Two(Tree):
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Perhaps(Tree):
    first: Tree
    second: Tree | None = None


@dataclass(frozen=True, slots=True)
class Many(Tree):
    function: FunctionDefinition | None = field(metadata=HOLDS_NO_NODES)
    args: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Order(Part):
    key: Tree
    ascending: bool = True


@dataclass(frozen=True, slots=True)
class Mixed(Tree):
    rows: tuple[tuple[Tree, ...], ...]
    orders: tuple[Order, ...]
    query: Other | None = None


@dataclass(frozen=True, slots=True)
class Call(Tree):
    args: tuple[Tree, ...]
    filter: Tree | None = None
    orders: tuple[Order, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Sealed(Part):
    label: str
    inner: Order | None = None


@final
@dataclass(frozen=True, slots=True)
class Empty(Part):
    label: str
    query: Other | None = None


@dataclass(frozen=True, slots=True)
class Labeled(Tree):
    sealed: tuple[Sealed, ...]
    empty: tuple[Empty, ...]
    child: Tree


@dataclass(frozen=True, slots=True)
class OfOneKind(Tree):
    parts: tuple[Part, ...] = field(metadata=holds_only(Tree))


@dataclass(frozen=True, slots=True)
class Query(Other):
    inner: Tree


A, B, C = Leaf("a"), Leaf("b"), Leaf("c")


def names(nodes: Sequence[Tree]) -> list[object]:
    return [getattr(node, "name", type(node).__name__) for node in nodes]


def upper(node: Tree) -> Tree:
    return Leaf(node.name.upper()) if isinstance(node, Leaf) else node


def test_children_are_in_field_order_without_none() -> None:
    assert children_of(A, Tree) == ()
    assert children_of(One(A), Tree) == (A,)
    assert children_of(Two(A, B), Tree) == (A, B)
    assert children_of(Perhaps(A), Tree) == (A,)
    assert children_of(Perhaps(A, B), Tree) == (A, B)
    assert children_of(Many(None, (B, A)), Tree) == (B, A)


def test_children_are_found_in_nested_tuples_and_parts_but_not_in_other_trees() -> None:
    mixed = Mixed(((A, B), (C,)), (Order(A),), Query(B))
    assert children_of(mixed, Tree) == (A, B, C, A)
    assert children_of(mixed, Other) == (Query(B),)
    assert children_of(Order(C), Tree) == (C,)


def test_a_tuple_that_is_mostly_all_there_is_may_be_followed_by_more() -> None:
    assert children_of(Call((A, B)), Tree) == (A, B)
    assert children_of(Call((A,), B), Tree) == (A, B)
    assert children_of(Call((), None, (Order(C),)), Tree) == (C,)
    assert transform_up(Call((A,), B, (Order(C),)), Tree, upper) == Call((Leaf("A"),), Leaf("B"), (Order(Leaf("C")),))


def test_a_final_part_is_looked_into_if_its_fields_may_hold_nodes() -> None:
    node = Labeled((Sealed("x", Order(A)), Sealed("y")), (Empty("z", Query(B)),), C)
    assert children_of(node, Tree) == (A, C)
    assert children_of(node, Other) == (Query(B),)
    assert transform_up(node, Tree, upper) == Labeled((Sealed("x", Order(Leaf("A"))), Sealed("y")), (Empty("z", Query(B)),), Leaf("C"))


def test_every_shape_is_rebuilt_with_its_changed_children() -> None:
    assert transform_up(Two(One(A), Perhaps(B, C)), Tree, upper) == Two(One(Leaf("A")), Perhaps(Leaf("B"), Leaf("C")))
    assert transform_up(Perhaps(A), Tree, upper) == Perhaps(Leaf("A"))
    assert transform_up(Many(None, (A, B)), Tree, upper) == Many(None, (Leaf("A"), Leaf("B")))
    mixed = Mixed(((A,), (B,)), (Order(C, ascending=False),), Query(A))
    assert transform_up(mixed, Tree, upper) == Mixed(((Leaf("A"),), (Leaf("B"),)), (Order(Leaf("C"), ascending=False),), Query(A))


def test_what_does_not_change_stays_the_same_object() -> None:
    for root in (One(A), Two(A, B), Perhaps(A), Many(None, (A,)), Mixed(((A,),), (Order(B),))):
        assert transform_up(root, Tree, lambda node: node) is root
        assert transform_down(root, Tree, lambda node: node) is root
        assert map_children_of(root, Tree, lambda node: node) is root


def test_a_shared_node_is_seen_once() -> None:
    shared = One(A)
    root = Two(shared, Many(None, (shared, shared)))
    seen: list[Tree] = []
    result = transform_up(root, Tree, lambda node: (seen.append(node), upper(node))[1])
    assert len(seen) == 4
    assert isinstance(result, Two)
    assert isinstance(result.right, Many)
    assert result.right.args[0] is result.left
    assert names(list(preorder(root, Tree))) == ["Two", "One", "a", "Many"]


def test_combining_goes_from_left_to_right_and_upwards() -> None:
    root = Two(A, Many(None, (One(B), C)))
    order: list[object] = []
    total = fold(root, Tree, lambda node, results: (order.extend(names([node])), 1 + sum(results))[1])
    assert total == 6
    assert order == ["a", "b", "One", "c", "Many", "Two"]


def test_changes_from_the_root_see_the_new_children() -> None:
    def change(node: Tree) -> Tree:
        if isinstance(node, One):
            return Two(node.child, One(A)) if not isinstance(node.child, Leaf) else node
        return replace(node, name="x") if isinstance(node, Leaf) else node

    assert transform_down(One(One(B)), Tree, change) == Two(One(Leaf("x")), One(Leaf("x")))


def test_deep_trees_are_walked_without_recursion() -> None:
    root: Tree = A
    for _ in range(20_000):
        root = One(root)
    assert fold(root, Tree, lambda node, results: 1 + sum(results)) == 20_001
    assert sum(1 for _ in preorder(root, Tree)) == 20_001


def test_a_field_that_is_said_to_hold_one_kind_is_searched_for_that_kind_only() -> None:
    node = OfOneKind((Order(A), Mixed((), (), Query(B))))
    assert children_of(node, Tree) == (A, node.parts[1])
    assert children_of(node, Other) == ()


def test_reader_counts_count_each_place_of_a_child_but_only_the_readers_that_are_given() -> None:
    leaf = Leaf("a")
    twice = Two(leaf, leaf)
    root = Two(twice, One(leaf))
    assert reader_counts(preorder(root, Tree), Tree) == {id(leaf): 3, id(twice): 1, id(root.right): 1}
    assert reader_counts([twice], Tree) == {id(leaf): 2}
    assert reader_counts([twice], Tree)[id(root)] == 0


def test_inputs_come_before_their_readers_and_each_node_once() -> None:
    leaf = Leaf("a")
    one = One(leaf)
    root = Two(one, leaf)
    other = One(one)
    assert [id(node) for node in inputs_first([root, other], Tree)] == [id(leaf), id(one), id(root), id(other)]
