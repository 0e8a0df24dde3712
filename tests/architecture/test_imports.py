"""Allowed imports between distributions, and imports that are not allowed at module level."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Distribution, Import, Repository

# Import packages whose name differs from their distribution.
INSTALLED_AS = {
    "re2": "google-re2",
    "yaml": "pyyaml",
    "prompt_toolkit": "prompt-toolkit",
    "typing_extensions": "typing-extensions",
    "py4j": "pyspark",
    "google": "protobuf",
}


def _public_names(module: str) -> set[str]:
    return set(getattr(importlib.import_module(module), "__all__", ()))


def _reason_against(one: Import, owner: Distribution) -> str | None:
    """Returns why the import of another distribution's module is not of its public surface, or None if it is."""
    source = owner.source_of(one.module)
    if source is None:
        return "no such module"
    if any(part.startswith("_") for part in one.module.split(".")):
        return "the module is internal"
    if source.name != "__init__.py" and one.module.count(".") > 1:
        return f"import from the package {one.module.rpartition('.')[0]}"
    if one.name is None:
        return "import names, not the module"
    if owner.source_of(f"{one.module}.{one.name}") is not None and one.name not in _public_names(one.module):
        return "this is a module: import names from it"
    return None if one.name in _public_names(one.module) else f"not in the __all__ of {one.module}"


def test_across_distributions_only_public_names_are_imported(repository: Repository) -> None:
    wrong = [
        f"{one} ({reason})"
        for package, imports in repository.imports.items()
        for one in imports
        if one.root != package and one.root in repository.distributions
        if (reason := _reason_against(one, repository.distributions[one.root]))
    ]
    assert not wrong, "\n".join(wrong)


def test_each_imported_distribution_is_a_declared_dependency(repository: Repository) -> None:
    undeclared = {}
    for package, imports in repository.imports.items():
        project = repository.distributions[package].project
        extras = project.get("optional-dependencies", {}).values()
        declared = {_name(requirement) for requirement in [*project["dependencies"], *(one for extra in extras for one in extra)]}
        known = sys.stdlib_module_names | {package}
        others = [one for one in imports if one.root not in known]
        undeclared |= {
            (package, one.root): str(one) for one in others if INSTALLED_AS.get(one.root, one.root.replace("_", "-")) not in declared
        }
    assert not undeclared, "declare these in the distribution's pyproject.toml:\n" + "\n".join(undeclared.values())


def test_every_declared_dependency_has_a_lower_bound(repository: Repository) -> None:
    for distribution in repository.distributions.values():
        extras = distribution.project.get("optional-dependencies", {}).values()
        requirements = [*distribution.project["dependencies"], *(one for extra in extras for one in extra)]
        assert [requirement for requirement in requirements if ">=" not in requirement] == [], distribution.name


def test_pandas_is_imported_only_in_functions_that_need_it(repository: Repository) -> None:
    at_top_level = [str(one) for imports in repository.imports.values() for one in imports if one.root == "pandas" and one.is_at_top_level]
    assert at_top_level == []


def test_no_import_contract_has_an_exception(repository: Repository) -> None:
    text = (repository.root / "pyproject.toml").read_text()
    assert "ignore_imports =" not in text


def _name(requirement: str) -> str:
    matched = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert matched is not None, requirement
    return matched.group().lower().replace("_", "-")
