"""Every entry point that a pyproject.toml names exists, and the installed distributions announce the same ones."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text())["project"] for path in Path(__file__).parents[2].glob("packages/*/pyproject.toml")
}
GROUPS = {
    "table.planners",
    "table.connectors",
    "table.formats",
    "table.catalogs",
    "table.catalog-stores",
    "table.catalog-listeners",
    "table.models",
    "table.modules",
    "table.workflow-schedulers",
}
DECLARED = sorted(
    EntryPoint(name, value, group)
    for project in PROJECTS.values()
    if project["name"] != "table-engines"  # not installed here; tests/integration/test_install.py runs its command
    for group, entries in {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}.items()
    for name, value in entries.items()
)


@pytest.mark.parametrize("entry", DECLARED, ids=lambda entry: f"{entry.group}:{entry.name}")
def test_entry_point_resolves(entry: EntryPoint) -> None:
    assert callable(entry.load())


@pytest.mark.parametrize("entry", [entry for entry in DECLARED if entry.group in GROUPS], ids=lambda entry: f"{entry.group}:{entry.name}")
def test_the_factory_identifier_is_the_name_of_the_entry_point(entry: EntryPoint) -> None:
    assert entry.load()().factory_identifier == entry.name


@pytest.mark.parametrize("entry", DECLARED, ids=lambda entry: f"{entry.group}:{entry.name}")
def test_entry_point_is_installed_once(entry: EntryPoint) -> None:
    installed = [found.value for found in entry_points(group=entry.group, name=entry.name)]
    assert installed == [entry.value]


def test_entry_point_groups_are_the_documented_ones() -> None:
    assert {entry.group for entry in DECLARED} <= GROUPS | {"console_scripts"}
