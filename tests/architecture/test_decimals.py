"""Decimals are computed in one module, because operators round to the thread's context, which has 28 digits or the program's setting."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

THE_MODULE = "exact_decimals.py"
NAMES = {"Decimal", "InvalidOperation"}
"""The names that other modules may import from ``decimal``."""
METHODS = {"scaleb", "quantize", "to_integral_value", "to_integral_exact", "to_integral", "fma", "remainder_near", "logb", "normalize"}
"""Methods of Decimal that round; ``unicodedata`` has a ``normalize``, too."""
FUNCTIONS = {"abs", "round", "sum", "divmod", "pow"}


def violations(source: Path) -> Iterator[str]:
    """Yields the decimal computations in a file; names count as decimals if they are annotated or assigned as ``Decimal``."""
    text = source.read_text()
    if not any(word in text for word in ("decimal", "Decimal", *METHODS)):
        return
    tree = ast.parse(text, str(source))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == "decimal" for alias in node.names):
            yield f"{node.lineno}: import decimal"
        elif isinstance(node, ast.ImportFrom) and node.module == "decimal":
            for alias in node.names:
                if alias.name not in NAMES:
                    yield f"{node.lineno}: from decimal import {alias.name}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            if ast.unparse(node.func.value) != "unicodedata":
                yield f"{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _arithmetic(node, _decimals_of(node))
    yield from _arithmetic(tree, set())


def _decimals_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = {one.arg for one in arguments if one.annotation is not None and _is_decimal_type(one.annotation)}
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_decimal_type(node.annotation):
            names.add(node.target.id)
        if isinstance(node, ast.Assign) and _is_made(node.value):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _is_decimal_type(annotation: ast.expr) -> bool:
    return {"Decimal"} <= {part.strip() for part in ast.unparse(annotation).split("|")}


def _is_made(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Decimal"


def _arithmetic(tree: ast.AST, names: set[str]) -> Iterator[str]:
    def is_decimal(value: ast.expr) -> bool:
        return _is_made(value) or (isinstance(value, ast.Name) and value.id in names)

    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left=left, right=right) if is_decimal(left) or is_decimal(right):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand) if is_decimal(operand):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in FUNCTIONS and is_decimal(first):
                yield f"{node.lineno}: {ast.unparse(node)}"


def test_decimals_are_computed_in_one_module(repository: Repository) -> None:
    found = {
        f"{source.relative_to(repository.root)}:{text}"
        for distribution in repository.distributions.values()
        for source in distribution.sources
        if source.name != THE_MODULE or distribution.package != "table_common"
        for text in violations(source)
    }
    assert not found, "\n".join(["use table_common.exact_decimals:", *sorted(found)])


def test_the_check_detects_rounding_operations(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text(
        "from decimal import Context, Decimal\n"
        "def f(a: Decimal | None, b: int):\n"
        "    c = Decimal(b)\n"
        "    return -a, abs(c), a * b, c.quantize(a), Decimal(1) / 3, b * 2\n"
    )
    assert len(set(violations(source))) == 6
