#!/usr/bin/env python3
"""Prints the size of each package: source files and lines, the part of imports and export lists, and type tests on operations.

    python scripts/size.py [FOLDER]        of this checkout, or of another one

A type test is an ``isinstance`` with a query operation, ``type(…) is`` one, or a ``case`` of a ``match`` with one. Operations are the classes of
``table_api.operations``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path


@dataclass
class Size:
    """The size of some files."""

    files: int = 0
    lines: int = 0
    imports: int = 0
    """Lines of imports and of export lists."""
    type_tests: int = 0

    def add(self, other: Size) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def row(self, name: str) -> str:
        share = 100 * self.imports / self.lines if self.lines else 0.0
        return f"{name:22} {self.files:6} {self.lines:8} {share:7.1f} % {self.type_tests:7}"


def size_of(path: Path, operations: frozenset[str]) -> Size:
    """Returns the size of a file; ``operations`` are the names of the classes on which type tests are counted."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    return Size(1, text.count("\n"), sum(_lines(node) for node in ast.walk(tree) if _is_import(node)), _type_tests(tree, operations))


def operation_classes(root: Path) -> frozenset[str]:
    """Returns the names of the classes of ``table_api.operations``."""
    folder = root / "packages" / "table-api" / "src" / "table_api" / "operations"
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py"))
    return frozenset(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def sizes(root: Path) -> Iterator[tuple[str, Size]]:
    """Yields the size of each distribution below ``root``."""
    operations = operation_classes(root)
    for source in sorted(root.glob("packages/*/src")):
        total = Size()
        for path in sorted(source.rglob("*.py")):
            total.add(size_of(path, operations))
        yield source.parent.name, total


def _lines(node: ast.AST) -> int:
    return (getattr(node, "end_lineno", 0) or 0) - getattr(node, "lineno", 0) + 1


def _is_import(node: ast.AST) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Assign):
        names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        return any(name in ("__all__", "__getattr__") for name in names)
    return False


def _type_tests(tree: ast.AST, operations: frozenset[str]) -> int:
    return sum(bool(_tested(node) & operations) for node in ast.walk(tree))


def _tested(node: ast.AST) -> set[str]:
    """Returns the names of the classes that a node compares a type with."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2:
        return _names(node.args[1])
    if isinstance(node, ast.Compare) and _is_type_call(node.left):
        return {name for part in node.comparators for name in _names(part)}
    return _names(node.cls) if isinstance(node, ast.MatchClass) else set()


def _is_type_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1


def _names(node: ast.AST) -> set[str]:
    return {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)}


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    print(f"{'':22} {'files':>6} {'lines':>8} {'imports':>9} {'tests':>7}")
    total = Size()
    for name, size in sizes(root):
        total.add(size)
        print(size.row(name))
    print(total.row("all"))


if __name__ == "__main__":
    main()
