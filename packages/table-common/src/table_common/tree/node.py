"""Children of a tree node, derived once from its dataclass fields.

A node is a frozen dataclass. A field may hold a node, a tuple of nodes, or a ``Part``: a component that is not a node itself
(an aggregate call, a sort order) but holds nodes. Walks look through parts and tuples and stop at nodes of another tree, so that
the children of an operation do not include its expressions.
"""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from table_common.frozen_dataclass import replace

_N = TypeVar("_N", bound="Node")
_P = TypeVar("_P")


class Part:
    """A component of a node that is not a node itself.

    Example:
        >>> from table_common.expressions import PatternVariable
        >>> issubclass(PatternVariable, Part), issubclass(PatternVariable, Node)
        (True, False)
    """

    __slots__ = ()


class Node(Part):
    """The root of every tree class: operations, resolved expressions, unresolved expressions.

    Example:
        >>> from table_common.frozen_dataclass import dataclass
        >>> @dataclass(frozen=True, slots=True)
        ... class Number(Node):
        ...     value: int
        >>> @dataclass(frozen=True, slots=True)
        ... class Sum(Node):
        ...     parts: tuple[Node, ...]
        >>> children_of(Sum((Number(1), Number(2))), Node)
        (Number(value=1), Number(value=2))
    """

    __slots__ = ()


HOLDS_NO_NODES: Mapping[str, bool] = {"holds no nodes": True}
"""The metadata of a field without nodes whose type is known only to type checkers."""


def holds_only(kind: type[Node]) -> Mapping[str, type[Node]]:
    """Returns the metadata of a field that holds only nodes of one kind, where its type does not show this.

    Example:
        >>> from table_common.expressions import ResolvedExpression
        >>> from table_common.frozen_dataclass import field
        >>> marked = field(metadata=holds_only(ResolvedExpression))
    """
    return {"holds only": kind}


_Children = Callable[[Any], tuple[Any, ...]]
_NOTHING: tuple[object, ...] = ()  # there is one such object


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of one class that hold nodes of one kind.

    ``names`` are the fields that may hold such nodes. If each of them holds one node or, with ``has_none``, None, or if there is one that is a
    tuple of nodes, which is what most classes are, nothing has to be looked for in them. ``starts_with_tuple`` is that of the first of several.
    """

    names: tuple[str, ...]
    is_nodes: bool
    has_none: bool
    is_tuple: bool
    starts_with_tuple: bool


_SHAPES: dict[tuple[type, type], _Shape] = {}


def _shape(cls: type, kind: type) -> _Shape:
    shape = _SHAPES.get((cls, kind))
    if shape is None:
        fields = [field for field in dataclasses.fields(cls) if field.init and _may_hold(cls, field, kind)]
        written = [_written_as(cls, field, kind) for field in fields]
        names = tuple(field.name for field in fields)
        shape = _SHAPES[cls, kind] = _Shape(
            names, set(written) <= {"node", "node or None"}, "node or None" in written, written == ["tuple"], written[:1] == ["tuple"]
        )
    return shape


def _names_known_to(cls: type, field: dataclasses.Field[Any]) -> dict[str, Any] | None:
    """Returns the possible meanings of the names in a field's annotation; None if the annotation is not a string."""
    owner = next((one for one in cls.__mro__ if field.name in inspect.get_annotations(one)), None)
    if owner is None or not isinstance(field.type, str):
        return None
    return {**vars(builtins), **vars(sys.modules[owner.__module__])}


def _may_hold(cls: type, field: dataclasses.Field[Any], kind: type) -> bool:
    """Returns False if the annotation of a field excludes nodes of a kind; most fields of most nodes hold types and names."""
    if field.metadata == HOLDS_NO_NODES:
        return False
    only = field.metadata.get("holds only", kind)
    if not issubclass(only, kind) and not issubclass(kind, only):
        return False
    known = _names_known_to(cls, field)
    if known is None:
        return True
    for name in re.findall(r"[A-Za-z_][\w.]*", str(field.type)):
        if name == "None":
            continue
        found = known.get(name)
        if not isinstance(found, type) or issubclass(found, kind) or issubclass(kind, found):
            return True
        if issubclass(found, Part) and not issubclass(found, Node):
            is_final = getattr(found, "__final__", False)  # a subclass may hold nodes
            if not is_final or any(_may_hold(found, one, kind) for one in dataclasses.fields(found) if one.init):  # type: ignore[arg-type]
                return True
    return False


def _written_as(cls: type, field: dataclasses.Field[Any], kind: type) -> str:
    """Returns "node", "node or None" or "tuple" if that is how a field's type is written, with a class of the kind."""
    known = _names_known_to(cls, field) or {}
    match = re.fullmatch(r"(?P<tuple>tuple\[)?(?P<name>\w+)(?(tuple), \.\.\.\]|(?P<none> \| None)?)", str(field.type))
    found = known.get(match["name"]) if match else None
    if match is None or not isinstance(found, type) or not issubclass(found, kind):
        return "other"
    if match["tuple"]:
        return "tuple"
    return "node or None" if match["none"] else "node"


def no_children(node: object) -> tuple[Any, ...]:
    """Returns the children of a node whose class has none."""
    return ()


class _ChildrenOf(dict[type, _Children]):
    """The functions that extract the nodes of one kind, by class."""

    def __init__(self, kind: type) -> None:
        super().__init__()
        self.kind = kind

    def __missing__(self, cls: type) -> _Children:
        shape = _shape(cls, self.kind)
        taken: _Children
        if not shape.names:
            taken = no_children
        elif shape.is_tuple or (shape.is_nodes and not shape.has_none and len(shape.names) > 1):
            taken = attrgetter(*shape.names)
        elif shape.is_nodes:
            getters = [attrgetter(name) for name in shape.names]
            taken = lambda node: tuple([child for get in getters if (child := get(node)) is not None])  # noqa: E731
        elif shape.starts_with_tuple:
            taken = partial(_first_or_all, first=attrgetter(shape.names[0]), others=shape.names[1:], names=shape.names, kind=self.kind)
        else:
            taken = partial(_search, names=shape.names, kind=self.kind)
        self[cls] = taken
        return taken


_CHILDREN: dict[type, _ChildrenOf] = {}


def children_getters(kind: type[_N]) -> Mapping[type, Callable[[_N], tuple[_N, ...]]]:
    """Returns, for each class of nodes, the function that returns the direct children of ``kind`` of an instance, in field order.

    It is ``no_children`` for classes without children, which are half of the nodes in expressions.
    """
    getters = _CHILDREN.get(kind)
    if getters is None:
        getters = _CHILDREN[kind] = _ChildrenOf(kind)
    return getters


def children_of(node: Part, kind: type[_N]) -> tuple[_N, ...]:
    """Returns the nodes of ``kind`` that ``node`` holds directly, in field order.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> children_of(conjunction([a, b]), ResolvedExpression) == (a, b)
        True
    """
    return children_getters(kind)[type(node)](node)  # type: ignore[arg-type]  # parts are taken apart like nodes


def _first_or_all(node: Part, first: _Children, others: tuple[str, ...], names: tuple[str, ...], kind: type[_N]) -> tuple[_N, ...]:
    """Returns the nodes in the first field, which is a tuple, and those in the other fields, which are mostly empty."""
    for name in others:
        value = getattr(node, name)
        if value is not None and value is not _NOTHING:
            return _search(node, names, kind)
    return first(node)


def _search(node: Part, names: tuple[str, ...], kind: type[_N]) -> tuple[_N, ...]:
    found: list[_N] = []
    for name in names:
        value = getattr(node, name)
        if isinstance(value, kind):
            found.append(value)
        else:
            _collect(value, kind, found)
    return tuple(found)


def _collect(value: object, kind: type[_N], found: list[_N]) -> None:
    if isinstance(value, kind):
        found.append(value)
    elif type(value) is tuple:
        for item in value:
            if isinstance(item, kind):
                found.append(item)
            else:
                _collect(item, kind, found)
    elif isinstance(value, Part) and not isinstance(value, Node):
        for name in _shape(type(value), kind).names:
            _collect(getattr(value, name), kind, found)


def with_children(node: _N, kind: type[_N], children: Sequence[_N]) -> _N:
    """Returns ``node`` with other children of ``kind``, as many as it has and in the order of ``children_of``."""
    shape = _shape(type(node), kind)
    if shape.is_tuple:
        return replace(node, **{shape.names[0]: tuple(children)})  # type: ignore[type-var]  # every node is a dataclass
    if shape.is_nodes and not shape.has_none:
        return replace(node, **dict(zip(shape.names, children, strict=True)))  # type: ignore[type-var]
    replacements = iter(children)
    return map_children_of(node, kind, lambda _: next(replacements))


def map_children_of(node: _P, kind: type[_N], change: Callable[[_N], _N]) -> _P:
    """Returns ``node`` with every direct child of ``kind`` replaced by ``change(child)``; the same object if none changed.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> str(map_children_of(conjunction([a, b]), ResolvedExpression, lambda child: b))
        '(b AND b)'
    """
    changes: dict[str, object] = {}
    for name in _shape(type(node), kind).names:
        old = getattr(node, name)
        new = _rebuild(old, kind, change)
        if new is not old:
            changes[name] = new
    if not changes:
        return node
    replaced: Any = replace(node, **changes)  # type: ignore[type-var]  # every node is a dataclass
    return replaced  # type: ignore[no-any-return]


def _rebuild(value: object, kind: type[_N], change: Callable[[_N], _N]) -> object:
    if isinstance(value, kind):
        return change(value)
    if type(value) is tuple:
        items = [_rebuild(item, kind, change) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else tuple(items)
    if isinstance(value, Part) and not isinstance(value, Node):
        return map_children_of(value, kind, change)
    return value
