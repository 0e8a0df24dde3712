"""The repository as the architecture tests see it: distributions, their sources, and every text file."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Files of tools and builds, and prepared data.
NOT_OURS = {"__pycache__", "build", "dist", "data", "node_modules", "spark-warehouse", "metastore_db"}


@dataclass(frozen=True)
class Distribution:
    """One folder under packages/."""

    root: Path

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def package(self) -> str:
        return self.name.replace("-", "_")

    @cached_property
    def project(self) -> dict[str, Any]:
        project: dict[str, Any] = tomllib.loads((self.root / "pyproject.toml").read_text())["project"]
        return project

    @property
    def sources(self) -> list[Path]:
        return sorted((self.root / "src").rglob("*.py"))

    def source_of(self, module: str) -> Path | None:
        """Returns the file of a dotted module of this distribution, or None if there is none."""
        path = self.root / "src" / Path(*module.split("."))
        candidates = (path / "__init__.py", path.with_suffix(".py"))
        return next((candidate for candidate in candidates if candidate.is_file()), None)

    def module_of(self, source: Path) -> str:
        parts = source.relative_to(self.root / "src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class Import:
    """One import statement's target: the module, and the name taken from it (None for a plain import)."""

    source: Path
    line: int
    module: str
    name: str | None
    is_at_top_level: bool

    @property
    def root(self) -> str:
        return self.module.partition(".")[0]

    def __str__(self) -> str:
        text = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        return f"{self.source.relative_to(ROOT)}:{self.line}: {text}"


class Repository:
    """The tree under packages/ and all text, read once."""

    root = ROOT

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        """The distributions with code, by import package: not the one that only depends on the others."""
        found = (Distribution(path.parent) for path in sorted(ROOT.glob("packages/*/src")))
        return {distribution.package: distribution for distribution in found}

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """Every absolute import of every distribution, by import package; those under TYPE_CHECKING and in stubs of packages count as well."""
        return {
            package: [one for source in distribution.sources for one in [*_imports_of(source), *_imports_of_stub(source)]]
            for package, distribution in self.distributions.items()
        }

    def files(self, *suffixes: str) -> list[Path]:
        """Returns the files with one of the suffixes, without hidden folders (except .ci) and files of tools."""
        return sorted(path for path in _walk(ROOT) if path.suffix in suffixes or path.name in suffixes)


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in NOT_OURS and (not path.name.startswith(".") or path.name == ".ci"):
                yield from _walk(path)
        else:
            yield path


def _imports_of(source: Path) -> Iterator[Import]:
    tree = ast.parse(source.read_text(), str(source))
    inside_functions = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        top = id(node) not in inside_functions
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(source, node.lineno, alias.name, None, top)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                yield Import(source, node.lineno, node.module, alias.name, top)


def _imports_of_stub(source: Path) -> Iterator[Import]:
    """Yields the imports of the stub beside an ``__init__``, as those of the ``__init__``, which loads them on demand."""
    stub = source.with_suffix(".pyi")
    if stub.exists():
        yield from (replace(one, source=source) for one in _imports_of(stub))


@pytest.fixture(scope="session")
def repository() -> Repository:
    return Repository()
