"""The only tree walks: iterative, because Python limits recursion to a thousand frames, and memoized by identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from typing import Any, TypeVar, overload

from table_common.tree.node import Node, children_getters, no_children, with_children

_N = TypeVar("_N", bound=Node)
_C = TypeVar("_C")
_R = TypeVar("_R")


def fold(root: _N, kind: type[_N], combine: Callable[[_N, Sequence[_R]], _R]) -> _R:
    """Returns ``combine(node, results of its children)`` for the root; a shared node is combined once.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> fold(conjunction([a, b]), ResolvedExpression, lambda node, counts: 1 + sum(counts))
        3
    """
    getters = children_getters(kind)
    if getters[type(root)] is no_children:
        return combine(root, ())
    done: dict[int, _R] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
            continue
        children = getters[type(node)](node)
        pending: list[_N] = []
        for child in children:
            if id(child) not in done:
                if not pending and getters[type(child)] is no_children:
                    done[id(child)] = combine(child, ())
                else:
                    pending.append(child)
        if pending:
            pending.reverse()
            stack.extend(pending)
        else:
            stack.pop()
            done[id(node)] = combine(node, [done[id(child)] for child in children])
    return done[id(root)]


@overload
def transform_up(root: _N, kind: type[_N], change: Callable[[_N], _N]) -> _N: ...
@overload
def transform_up(root: _N, kind: type[_N], change: Callable[[_C], _N], *, of: type[_C]) -> _N: ...
def transform_up(root: _N, kind: type[_N], change: Callable[[Any], _N], *, of: type | None = None) -> _N:
    """Rebuilds the tree from the leaves: ``change`` sees each node with its children already changed.

    With ``of``, it sees the nodes of that class only. Unchanged subtrees are returned as the same objects.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> str(transform_up(conjunction([a, b]), ResolvedExpression, lambda node: a if node == b else node))
        '(a AND a)'
    """
    if of is not None:
        change = _where(of, change)
    getters = children_getters(kind)
    if getters[type(root)] is no_children:
        return change(root)
    done: dict[int, _N] = {}
    stack = [root]
    while stack:  # as in fold, but inlined, because most of the planning time is spent here
        node = stack[-1]
        if id(node) in done:
            stack.pop()
            continue
        children = getters[type(node)](node)
        pending: list[_N] = []
        is_same = True
        for child in children:
            result = done.get(id(child))
            if result is None:
                if pending or getters[type(child)] is not no_children:
                    pending.append(child)
                    continue
                result = done[id(child)] = change(child)
            if result is not child:
                is_same = False
        if pending:
            pending.reverse()
            stack.extend(pending)
        else:
            stack.pop()
            done[id(node)] = change(node if is_same else with_children(node, kind, [done[id(child)] for child in children]))
    return done[id(root)]


@overload
def transform_down(root: _N, kind: type[_N], change: Callable[[_N], _N]) -> _N: ...
@overload
def transform_down(root: _N, kind: type[_N], change: Callable[[_C], _N], *, of: type[_C]) -> _N: ...
def transform_down(root: _N, kind: type[_N], change: Callable[[Any], _N], *, of: type | None = None) -> _N:
    """Rebuilds the tree from the root: ``change`` sees a node before its children, which are then those of its result.

    With ``of``, it sees the nodes of that class only.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> str(transform_down(conjunction([a, b]), ResolvedExpression, lambda node: a if node == b else node))
        '(a AND a)'
    """
    if of is not None:
        change = _where(of, change)
    changed: dict[int, _N] = {}
    kept: list[_N] = []  # keeps replaced nodes alive, so that their ids stay theirs

    def step(node: _N) -> _N:
        result = changed.get(id(node))
        if result is None:
            result = changed[id(node)] = change(node)
            kept.append(node)
        return result

    top = step(root)
    done: dict[int, _N] = {}
    getters = children_getters(kind)
    stack: list[tuple[_N, Sequence[_N] | None]] = [(top, None)]
    while stack:
        node, children = stack.pop()
        if id(node) in done:
            continue
        if children is None:
            children = getters[type(node)](node)
            if children:
                stack.append((node, children))
                stack.extend([(step(child), None) for child in reversed(children)])
                continue
        results = [done[id(step(child))] for child in children]
        done[id(node)] = node if all(map(is_, results, children)) else with_children(node, kind, results)
    return done[id(top)]


def _where(of: type[_C], change: Callable[[_C], _N]) -> Callable[[Any], Any]:
    return lambda node: change(node) if isinstance(node, of) else node


def nodes_of(root: _N, kind: type[_N], of: type[_C]) -> list[_C]:
    """Returns every node of the class ``of`` once, in the order of ``preorder``.

    Example:
        >>> from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> [str(node) for node in nodes_of(conjunction([a, b]), ResolvedExpression, CallExpression)]
        ['(a AND b)']
    """
    return [node for node in preorder(root, kind) if isinstance(node, of)]


def preorder(root: _N, kind: type[_N]) -> list[_N]:
    """Returns every node once, parents before children, left to right.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> [str(node) for node in preorder(conjunction([a, b]), ResolvedExpression)]
        ['(a AND b)', 'a', 'b']
    """
    getters = children_getters(kind)
    if getters[type(root)] is no_children:
        return [root]
    seen: set[int] = set()
    found: list[_N] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            found.append(node)
            children = getters[type(node)](node)
            for position, child in enumerate(children):
                if getters[type(child)] is not no_children:
                    stack.extend(children[: position - 1 : -1] if position else children[::-1])
                    break
                if id(child) not in seen:
                    seen.add(id(child))
                    found.append(child)
    return found


def inputs_first(roots: Iterable[_N], kind: type[_N]) -> list[_N]:
    """Returns the nodes below and with ``roots`` in topological order: each once, after its children.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a, b = (FieldReferenceExpression(name, BooleanType(), 0, position) for position, name in enumerate("ab"))
        >>> [str(node) for node in inputs_first([conjunction([a, b])], ResolvedExpression)]
        ['a', 'b', '(a AND b)']
    """
    getters = children_getters(kind)
    order: list[_N] = []
    seen: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, is_ready = stack.pop()
            if is_ready:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(getters[type(node)](node)))
    return order


def reader_counts(nodes: Iterable[_N], kind: type[_N]) -> Counter[int]:
    """Returns by identity how many times each node is a child of one of ``nodes``.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
        >>> from table_common.types import BooleanType
        >>> a = FieldReferenceExpression("a", BooleanType(), 0, 0)
        >>> reader_counts(preorder(conjunction([a, a]), ResolvedExpression), ResolvedExpression)[id(a)]
        2
    """
    getters = children_getters(kind)
    return Counter(id(child) for node in nodes for child in getters[type(node)](node))
