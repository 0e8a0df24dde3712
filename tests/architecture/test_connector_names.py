"""The table of ADR 7: every name of ours in it exists, and every public name of the connector SPI is in it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ADR = Path(__file__).parents[2] / "docs" / "adr" / "0007-connector-names.md"
PACKAGES = [
    "table_common.connector",
    "table_common.connector.source",
    "table_common.connector.source.abilities",
    "table_common.connector.sink",
    "table_common.connector.sink.abilities",
    "table_common.factories",
]


def names() -> list[str]:
    rows = [line.split("|") for line in ADR.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [name for row in rows[1:] for name in re.findall(r"`([\w.]+)`", row[2])]


@pytest.mark.parametrize("name", names())
def test_a_name_of_the_table_is_public(name: str) -> None:
    first, *rest = name.split(".")
    (home,) = {id(getattr(m, first)): m for m in map(import_module, [*PACKAGES, "table_common.data"]) if first in m.__all__}.values()
    found = getattr(home, first)
    for part in rest:
        found = getattr(found, part)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_row(package: str) -> None:
    assert set(import_module(package).__all__) <= {name.split(".")[0] for name in names()}


def test_a_name_has_one_row() -> None:
    assert len(names()) == len(set(names()))
