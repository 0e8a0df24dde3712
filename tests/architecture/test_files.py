"""A file holds one concept: it is short and has a descriptive name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

LONGEST = 400
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "misc", "common", "core", "base"}
NAMES_OF_PYFLINK = {"packages/table-api/src/table_api/common"}
"""Packages that have their names from PyFlink."""
ALLOWED_OVERSIZED = tomllib.loads(Path(__file__).with_name("oversized_files.toml").read_text())


def _lengths(repository: Repository) -> dict[str, int]:
    return {str(path.relative_to(repository.root)): len(path.read_text().splitlines()) for path in repository.files(".py")}


def test_no_python_file_is_longer_than_400_lines_unless_listed_with_a_reason(repository: Repository) -> None:
    too_long = {name: length for name, length in _lengths(repository).items() if length > LONGEST and name not in ALLOWED_OVERSIZED}
    assert not too_long, f"split these, or list them with a reason in tests/architecture/oversized_files.toml: {too_long}"


def test_the_list_of_oversized_files_is_up_to_date(repository: Repository) -> None:
    lengths = _lengths(repository)
    assert [name for name in ALLOWED_OVERSIZED if lengths.get(name, 0) <= LONGEST] == []


def test_every_oversized_file_has_a_reason() -> None:
    assert [name for name, reason in ALLOWED_OVERSIZED.items() if len(reason.split()) < 4] == []


def test_no_module_has_a_meaningless_name(repository: Repository) -> None:
    sources = [source for distribution in repository.distributions.values() for source in distribution.sources]
    paths = (path.relative_to(repository.root) for path in sources)
    names = {str(path) for path in paths if {path.stem, path.parent.name} & FORBIDDEN_NAMES and str(path.parent) not in NAMES_OF_PYFLINK}
    assert not names, "name a file for what it holds"


def test_test_folders_are_not_packages(repository: Repository) -> None:
    # The plug-in is a separate distribution, which a test builds and installs.
    places = ((path, path.relative_to(repository.root).parts) for path in repository.files("__init__.py"))
    inside_tests = [path for path, parts in places if "tests" in parts and "plugin" not in parts]
    assert inside_tests == [], "tests are collected with import-mode=importlib"


def test_every_distribution_is_typed_and_has_a_readme(repository: Repository) -> None:
    for distribution in repository.distributions.values():
        assert (distribution.root / "src" / distribution.package / "py.typed").is_file(), distribution.name
        assert len((distribution.root / "README.md").read_text().split()) > 50, f"{distribution.name} needs a README that helps"


def test_every_source_folder_is_a_package(repository: Repository) -> None:
    for distribution in repository.distributions.values():
        folders = {source.parent for source in distribution.sources}
        assert [str(folder.relative_to(repository.root)) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []
