"""Only public modules have ``__all__``: packages, and modules that other distributions or programs import."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository


def _has_export_list(text: str) -> bool:
    return any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in ast.parse(text).body)


def _only_imports(text: str) -> bool:
    """Returns whether a module only gives names of others, as those under PyFlink's names do."""
    nodes = [node for node in ast.parse(text).body if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom)]
    return [ast.unparse(node).partition(" = ")[0] for node in nodes] == ["__all__"]


def test_internal_modules_have_no_export_list(repository: Repository) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (repository.root / "docs" / "api").glob("*.md"))
    public = set(re.findall(r"^::: (\S+)$", pages, re.MULTILINE))
    public |= {one.module for package, imports in repository.imports.items() for one in imports if one.root != package}
    wrong = []
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            text = source.read_text(encoding="utf-8")
            if source.name != "__init__.py" and _has_export_list(text):
                module = distribution.module_of(source)
                if not _only_imports(text) and not (module.count(".") == 1 and module in public):
                    wrong.append(module)
    assert not wrong, f"nothing reads the __all__ of these modules; the name of a private member begins with '_': {wrong}"
