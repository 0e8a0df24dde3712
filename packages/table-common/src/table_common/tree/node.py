"""Children of a tree node, derived once from its dataclass fields.

A node is a frozen dataclass. A field may hold a node, a tuple of nodes, or a ``Part``: a component that is not a node itself
(an aggregate call, a sort order) but holds nodes. Walks look through parts and tuples and stop at nodes of another tree, so that
asking an operation for its child operations does not wander into its expressions.
"""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Set
from typing import Any, TypeVar

from table_common.frozen_dataclass import replace

__all__ = ["Node", "Part", "children_of", "leaf_classes", "map_children_of"]

_N = TypeVar("_N", bound="Node")
_P = TypeVar("_P")


class Part:
    """A component of a node that is not a node itself."""

    __slots__ = ()


class Node(Part):
    """The root of every tree class: operations, resolved expressions, unresolved expressions."""

    __slots__ = ()


_FIELDS: dict[tuple[type, type], tuple[str, ...]] = {}
_LEAVES: defaultdict[type, set[type]] = defaultdict(set)


def leaf_classes(kind: type) -> Set[type]:
    """Returns the classes, of those met so far, whose nodes hold no nodes of a kind: half of what a walk over expressions meets."""
    return _LEAVES[kind]


def _tree_fields(cls: type, kind: type) -> tuple[str, ...]:
    """Returns the fields of a class that may hold nodes of a kind."""
    names = _FIELDS.get((cls, kind))
    if names is None:
        fields = (field for field in dataclasses.fields(cls) if field.init)
        names = _FIELDS[cls, kind] = tuple(field.name for field in fields if _may_hold(cls, field, kind))
        if not names:
            _LEAVES[kind].add(cls)
    return names


def _may_hold(cls: type, field: dataclasses.Field[Any], kind: type) -> bool:
    """Returns False if what is written as the field's type rules nodes of a kind out: most walks pass more types and names than nodes."""
    owner = next((one for one in cls.__mro__ if field.name in inspect.get_annotations(one)), None)
    if owner is None or not isinstance(field.type, str):
        return True
    known = {**vars(builtins), **vars(sys.modules[owner.__module__])}
    for name in re.findall(r"[A-Za-z_][\w.]*", field.type):
        if name == "None":
            continue
        found = known.get(name)
        if not isinstance(found, type) or issubclass(found, kind) or issubclass(kind, found):
            return True
        if issubclass(found, Part) and not issubclass(found, Node):
            return True
    return False


def children_of(node: Part, kind: type[_N]) -> tuple[_N, ...]:
    """Returns the nodes of ``kind`` that ``node`` holds directly, in field order."""
    names = _FIELDS.get((type(node), kind))
    if names is None:
        names = _tree_fields(type(node), kind)
    if not names:
        return ()
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
        for name in _tree_fields(type(value), kind):
            _collect(getattr(value, name), kind, found)


def map_children_of(node: _P, kind: type[_N], change: Callable[[_N], _N]) -> _P:
    """Returns ``node`` with every direct child of ``kind`` replaced by ``change(child)``; the same object if none changed."""
    changes: dict[str, object] = {}
    for name in _tree_fields(type(node), kind):
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
