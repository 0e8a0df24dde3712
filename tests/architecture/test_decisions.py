"""The records in ``docs/adr``: each has a status, and all are in the index and in the site."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Repository

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
INDEX = ROOT / "docs" / "adr" / "index.md"
HEAD = re.compile(r"# (?P<number>\d+)\. (?P<title>.+)\n\nStatus: (?P<status>accepted|superseded)(?P<by>.*)\n\n## Context\n")
BY = re.compile(r"(?P<part>; superseded in part)? by (?P<record>\[\d+\]\(\d{4}-[a-z0-9-]+\.md\))")
UNUSED = (9, 10, 11, 40, 42, 43)
"""Numbers without a record."""


def row_of(record: Path) -> str:
    """Returns the row of a record in the index."""
    head = HEAD.match(record.read_text(encoding="utf-8"))
    assert head is not None, f"{record.name} must begin with its number and title, a line 'Status: …' and '## Context'"
    assert head["number"].zfill(4) == record.name[:4]
    by = BY.fullmatch(head["by"]) if head["by"] else None
    assert (by is not None) == bool(head["by"]), f"{record.name}: the status ends in an unknown form: {head['by']!r}"
    assert (head["status"] == "superseded") == (by is not None and by["part"] is None)
    superseded = "" if by is None else f"{by['record']}, in part " if by["part"] else f"{by['record']} "
    return f"| {head['number']} | [{head['title']}]({record.name}) | {head['status']} | {superseded}|"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_a_status_and_its_row_in_the_index(record: Path) -> None:
    assert row_of(record) in INDEX.read_text(encoding="utf-8").splitlines()


def test_the_index_lists_all_numbers_in_order() -> None:
    rows = re.findall(r"^\| (\d+(?:, \d+)*) \|", INDEX.read_text(encoding="utf-8"), flags=re.MULTILINE)
    numbers = [int(number) for row in rows for number in row.split(", ")]
    assert numbers == list(range(1, len(RECORDS) + len(UNUSED) + 1))


def test_all_records_are_in_the_navigation_of_the_site(repository: Repository) -> None:
    navigation = re.findall(r"^ +- adr/(.+)$", (repository.root / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert navigation == ["index.md", *(record.name for record in RECORDS), "fast-paths.md"]
