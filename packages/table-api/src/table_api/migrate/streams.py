"""Finds the methods of data streams that a program calls: which names and expressions are streams follows from the calls that make them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from table_api.migrate.refused_calls import STREAM_METHODS

_MAKERS = frozenset(
    (
        *("from_collection", "from_source", "add_source", "from_sequence", "generate_sequence", "read_text_file"),
        *("to_data_stream", "to_changelog_stream", "to_append_stream", "to_retract_stream"),
    )
)
"""Methods that return a stream."""
_CLASSES = frozenset(("DataStream", "KeyedStream", "WindowedStream", "ConnectedStreams"))


def stream_calls(nodes: Sequence[ast.AST]) -> Iterator[ast.Attribute]:
    """Yields the uses of methods of streams that have a counterpart of tables, for the nodes of a program.

    Example:
        >>> tree = ast.parse("s = env.from_collection([1]).map(f)\\ntable.filter(c)\\ns.key_by(g)")
        >>> sorted(use.attr for use in stream_calls(list(ast.walk(tree))))
        ['key_by', 'map']
    """
    names = {
        node.arg for node in nodes if isinstance(node, ast.arg) and node.annotation is not None and _class_of(node.annotation) in _CLASSES
    }
    assignments = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    found = -1
    while found != len(names):  # a name may be assigned from one that is found later
        found = len(names)
        for assignment in assignments:
            target = assignment.targets[0]
            assert isinstance(target, ast.Name)
            if _is_stream(assignment.value, names):
                names.add(target.id)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in STREAM_METHODS and _is_stream(node.value, names):
            yield node


def _is_stream(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in _MAKERS or (node.func.attr in STREAM_METHODS and _is_stream(node.func.value, names))


def _class_of(annotation: ast.expr) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.rpartition(".")[2]
    return last_name(annotation)


def last_name(node: ast.AST) -> str:
    """Returns the last part of a dotted name; an empty text for another expression.

    Example:
        >>> last_name(ast.parse("DataTypes.BIGINT", mode="eval").body)
        'BIGINT'
    """
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
