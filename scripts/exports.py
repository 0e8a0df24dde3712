"""Writes the names of public packages, which stand once in ``__init__.pyi``, into the call of ``lazy_exports`` in ``__init__.py``.

``python scripts/exports.py`` writes all packages; ``tests/architecture/test_exports.py`` says which of them differ.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_CALL = re.compile(r'(lazy_exports\(\n    __name__,\n    """\n).*?(    """,\n\))', re.DOTALL)


def names_of(stub: Path) -> dict[str, list[str]]:
    """Returns the names that a stub takes from each module, sorted; ``from m import *`` stands for all names of the package ``m``."""
    source = next(parent for parent in stub.parents if parent.name == "src")
    names: dict[str, list[str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                names.setdefault(node.module, []).extend(_names_of_package(source, node.module) if alias.name == "*" else [alias.name])
    return {module: sorted(names[module]) for module in sorted(names)}


def _names_of_package(source: Path, package: str) -> list[str]:
    tree = ast.parse(Path(source, *package.split("."), "__init__.py").read_text(encoding="utf-8"))
    (names,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    listed: list[str] = ast.literal_eval(names)
    return listed


def with_exports(text: str, stub: Path) -> str:
    """Returns the text of an ``__init__.py`` with the names of its stub."""
    package = ".".join(stub.parts[stub.parts.index("src") + 1 : -1])
    lines = []
    for module, names in names_of(stub).items():
        name = module.removeprefix(package) if f"{module}.".startswith(f"{package}.") else module
        lines += textwrap.wrap(f"{name or '.'}: {' '.join(names)}", 140, initial_indent=" " * 4, subsequent_indent=" " * 8)
    return _CALL.sub(lambda call: call[1] + "".join(f"{line}\n" for line in lines) + call[2], text, count=1)


def stubs(root: Path) -> Iterator[Path]:
    """Yields the stubs of the packages whose names are loaded on demand."""
    yield from sorted(root.glob("packages/*/src/**/__init__.pyi"))


def main() -> None:
    for stub in stubs(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT):
        file = stub.with_suffix(".py")
        text = file.read_text(encoding="utf-8")
        if (changed := with_exports(text, stub)) != text:
            file.write_text(changed, encoding="utf-8")
            print(f"written: {file}")


if __name__ == "__main__":
    main()
