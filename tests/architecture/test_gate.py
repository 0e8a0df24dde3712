"""What opens paths, hosts and modules takes values of the gate, and each place that goes round it is known."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Repository

MADE_BY_THE_GATE = {"AllowedHost", "AllowedModule", "AllowedPath", "AllowedUrl"}
OPENING = {
    *(
        "import_module",
        "__import__",
        "url_to_fs",
        "urlopen",
        "build_opener",
        "create_connection",
        "glob.glob",
        "subprocess.run",
        "subprocess.Popen",
    ),
    *("sqlite3.connect", "dbapi.connect", "adbc_driver_postgresql.connect", "Consumer", "Producer", "AdminClient"),
    *("Gate.of_program", "Gate.location_of_program", "Gate.derived_url"),
}
"""Calls that open something, or make a value of the gate without a check."""


@pytest.fixture(scope="module")
def calls(repository: Repository) -> dict[str, set[str]]:
    """The modules that make each call."""
    found: dict[str, set[str]] = defaultdict(set)
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            text = source.read_text()
            if not any(name.rpartition(".")[2] in text for name in OPENING | MADE_BY_THE_GATE):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                    found[_name(node.func).removeprefix("importlib.")].add(distribution.module_of(source))
    return found


def _name(node: ast.Name | ast.Attribute) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else node.attr


def test_only_the_gate_makes_its_values(calls: dict[str, set[str]]) -> None:
    assert {name: calls[name] for name in MADE_BY_THE_GATE} == {name: {"table_common.gate"} for name in MADE_BY_THE_GATE}


def test_each_module_that_opens_something_says_why_it_may(calls: dict[str, set[str]]) -> None:
    known = tomllib.loads((Path(__file__).parent / "openings.toml").read_text())
    opening = {module for name in OPENING for module in calls[name]}
    assert opening - known.keys() == set(), "add the module and the reason to openings.toml, or take a value of table_common.gate"
    assert known.keys() - opening == set(), "these modules open nothing any more"
    assert all(str(reason).endswith(".") for reason in known.values())
