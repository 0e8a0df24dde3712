"""There are no import cycles: at import, in functions, or only for type checking."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

DISCOVERY = {
    "table_common/lazy_exports.py": "names on demand",
    "table_common/factories/entry_point.py": "entry points",
    "table_api/plan/facts/record.py": "facts found by the file of the class of their node",
    "table_common/tree/dispatch.py": "handlers found by the file of their class",
    "table_runtime/kernels/registry.py": "kernels found by the family of their function",
    "table_runtime/aggregates/registry.py": "accumulators found by the name of their function",
    "table_runtime/formats/registry.py": "formats found by entry point",
}
"""The files that import modules of this project by a string, with reasons."""


def modules_of(repository: Repository) -> dict[str, Path]:
    return {distribution.module_of(source): source for distribution in repository.distributions.values() for source in distribution.sources}


def imported_modules(repository: Repository) -> dict[str, set[str]]:
    """Returns the modules that each module imports; names exported by a package count as imports of their defining module."""
    modules = modules_of(repository)
    names: dict[str, dict[str, str]] = {}
    edges: dict[str, set[str]] = {module: set() for module, source in modules.items() if source.name != "__init__.py"}
    by_source = {source: module for module, source in modules.items()}
    for imports in repository.imports.values():
        for one in imports:
            if one.source.name == "__init__.py" and one.name is not None:
                names.setdefault(by_source[one.source], {})[one.name] = one.module

    def home(module: str, name: str | None) -> str:
        if name is not None and f"{module}.{name}" in modules:
            return f"{module}.{name}"
        source = names.get(module, {}).get(name or "")
        return home(source, name) if source is not None and source != module else module

    for imports in repository.imports.values():
        for one in imports:
            module, found = by_source[one.source], home(one.module, one.name)
            if module in edges and found in edges and found != module:
                edges[module].add(found)
    return edges


def circles(edges: Mapping[str, set[str]]) -> list[Sequence[str]]:
    """Returns the strongly connected components with several modules: Tarjan's algorithm, without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[Sequence[str]] = []
    for start in edges:
        if start in index:
            continue
        stack = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        path.append(start)
        while stack:
            node, rest = stack[-1]
            after = next(rest, None)
            if after is not None:
                if after not in index:
                    index[after] = low[after] = len(index)
                    path.append(after)
                    stack.append((after, iter(sorted(edges[after]))))
                elif after in path:
                    low[node] = min(low[node], index[after])
                continue
            stack.pop()
            if stack:
                low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
            if low[node] == index[node]:
                group = path[path.index(node) :]
                del path[path.index(node) :]
                if len(group) > 1:
                    found.append(sorted(group))
    return found


def test_a_cycle_is_detected() -> None:
    assert circles({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set(), "e": {"a"}}) == [["a", "b", "c"]]


def test_there_are_no_import_cycles(repository: Repository) -> None:
    found = circles(imported_modules(repository))
    assert not found, "\n".join(" -> ".join(group) for group in found)


def test_only_discovery_imports_by_string(repository: Repository) -> None:
    named = re.compile("|".join(sorted(repository.distributions)))
    wrong = []
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            place = str(source.relative_to(distribution.root / "src"))
            for node in ast.walk(ast.parse(source.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and place not in DISCOVERY:
                    text = ast.unparse(node.args[0])
                    wrong += [f"{place}:{node.lineno}: {text}"] if named.search(text) else []
    assert not wrong, "\n".join(wrong)


def test_no_rewrite_reads_the_mode(repository: Repository) -> None:
    folder = repository.distributions["table_api"].root / "src" / "table_api" / "plan"
    readers = [str(file.relative_to(folder)) for file in folder.rglob("*.py") if "is_streaming_mode" in file.read_text()]
    assert sorted(readers) == ["compiled/document.py", "optimizer.py"]  # which name the mode, and choose the program
