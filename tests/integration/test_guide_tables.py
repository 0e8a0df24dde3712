"""The tables of the guides list what the code has: connectors that can change tables, options of formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from table_api.plan.connectors_supporting import connectors_supporting
from table_common.connector.sink import abilities
from table_common.factories import FormatFactory

GUIDE = Path(__file__).parents[2] / "docs" / "guide"


def _rows(page: str, columns: int) -> list[list[str]]:
    lines = (GUIDE / page).read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    return [row for row in cells if len(row) == columns]


def _quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]*)`", text)


CHANGES = [row for row in _rows("changing-tables.md", 3) if "Supports" in row[1]]


@pytest.mark.parametrize(("statement", "ability", "connectors"), CHANGES, ids=[row[0] for row in CHANGES])
def test_the_connectors_that_a_statement_can_change_are_those_with_its_ability(statement: str, ability: str, connectors: str) -> None:
    needed = [getattr(abilities, name) for name in _quoted(ability) if name.startswith("Supports")]
    if "OVERWRITE" in statement:
        needed = [abilities.SupportsOverwrite]
    having = re.findall(r"'([\w-]+)'", connectors_supporting(statement, *needed))
    assert sorted(_quoted(connectors)) == sorted(set(having) - {"python"})


def test_all_statements_are_compared() -> None:
    assert len(CHANGES) == 8


FORMATS = [(name, row) for row in _rows("formats.md", 5) for name in _quoted(row[0])]


@pytest.mark.parametrize(("name", "row"), FORMATS, ids=[name for name, _ in FORMATS])
def test_the_options_of_a_format_are_listed(name: str, row: list[str]) -> None:
    factory = FormatFactory.discover(name)
    keys = {option.key for option in (*factory.required_options, *factory.optional_options)}
    own, has_those_of_json, without = row[4].partition("those of `json` but ")
    listed = set(_quoted(own))
    if has_those_of_json:
        listed |= {option.key for option in FormatFactory.discover("json").optional_options} - set(_quoted(without))
    assert listed == keys
