"""The only walks over trees: iterative, because Python stops at a thousand frames, and memoised by identity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import TypeVar

from table_common.tree.node import Node, children_getters, no_children, with_children

__all__ = ["fold", "preorder", "transform_down", "transform_up"]

_N = TypeVar("_N", bound=Node)
_R = TypeVar("_R")


def fold(root: _N, kind: type[_N], combine: Callable[[_N, Sequence[_R]], _R]) -> _R:
    """Returns ``combine(node, results of its children)`` of the root; a node that is reached twice is combined once."""
    return _folded(root, kind, lambda node, _, results: combine(node, results))


def _folded(root: _N, kind: type[_N], combine: Callable[[_N, Sequence[_N], Sequence[_R]], _R]) -> _R:
    """Returns ``combine(node, its children, their results)`` of the root."""
    done: dict[int, _R] = {}
    getters = children_getters(kind)
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
                    done[id(child)] = combine(child, (), ())
                else:
                    pending.append(child)
        if pending:
            pending.reverse()
            stack.extend(pending)
            continue
        stack.pop()
        done[id(node)] = combine(node, children, [done[id(child)] for child in children])
    return done[id(root)]


def transform_up(root: _N, kind: type[_N], change: Callable[[_N], _N]) -> _N:
    """Rebuilds the tree from the leaves: ``change`` sees each node with its children already changed.

    A part of the tree in which nothing changes is returned as the same objects.
    """

    def changed(node: _N, children: Sequence[_N], results: Sequence[_N]) -> _N:
        return change(node if all(map(is_, results, children)) else with_children(node, kind, results))

    return _folded(root, kind, changed)


def transform_down(root: _N, kind: type[_N], change: Callable[[_N], _N]) -> _N:
    """Rebuilds the tree from the root: ``change`` sees a node before its children, which are then those of its result."""
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


def preorder(root: _N, kind: type[_N]) -> Iterator[_N]:
    """Yields every node once, parents before children, left to right."""
    seen: set[int] = set()
    getters = children_getters(kind)
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        children = getters[type(node)](node)
        if children:
            stack.extend(reversed(children))
