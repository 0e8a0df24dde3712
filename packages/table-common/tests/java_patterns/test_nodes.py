from __future__ import annotations

import pytest

from table_common.java_patterns.nodes import At, Atomic, Branch, Characters, Dot, Group, Look, Node, Reference, Repeat, Sequence
from table_common.java_patterns.pattern import read_java_pattern


def nodes(pattern: str) -> list[Node]:
    read = read_java_pattern(pattern)
    assert read is not None
    pending: list[Node] = [read.tree]
    result: list[Node] = []
    while pending:
        node = pending.pop()
        result.append(node)
        match node:
            case Sequence(parts=parts) | Branch(parts=parts):
                pending += parts
            case Group(body=body) | Atomic(body=body) | Look(body=body) | Repeat(body=body):
                pending.append(body)
    return result


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("a", Characters),
        (".", Dot),
        ("^", At),
        ("(a)", Group),
        ("(?>a)", Atomic),
        ("(?=a)", Look),
        ("a*", Repeat),
        ("a|b", Branch),
        (r"(a)\1", Reference),
    ],
)
def test_each_construct_has_a_node(pattern: str, kind: type) -> None:
    assert any(isinstance(node, kind) for node in nodes(pattern))


def test_nodes_are_compared_by_structure() -> None:
    assert [*map(repr, nodes("(a|b)+?"))] == [*map(repr, nodes("(a|b)+?"))]
    assert [*map(repr, nodes("a+"))] != [*map(repr, nodes("a+?"))]
