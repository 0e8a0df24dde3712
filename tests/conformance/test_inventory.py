"""``inventory.toml``: what Flink 2.3 has, item by item, with the test that shows that it works here. Members of PyFlink's classes are in ``pyflink_calls``."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from corpus import ROOT, corpus_folder

HERE = Path(__file__).parent
ITEMS = {
    f"{section}: {item}": entry
    for section, items in tomllib.loads((HERE / "inventory.toml").read_text(encoding="utf-8")).items()
    for item, entry in items.items()
}
WORKING_SHARE = 0.9
KNOWN_SHARE = 0.97
"""At least these parts of all items work; work or are declared. Of those that are declared most are options of Flink's memory, network and code."""


def status(entry: str) -> str:
    kind = entry.partition(":")[0]
    return kind if kind in ("declared", "absent") else "works"


@cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def lines_of(path: Path) -> frozenset[str]:
    """Returns the titles of a file of cases, the ids of streaming cases, or the members of a file of calls."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return frozenset(str(json.loads(line)["id"]) for line in text.splitlines())
    pattern = r"^-- (.*)$" if path.suffix == ".test" else r"^(\w+)(?::| !!)"
    return frozenset(re.findall(pattern, text, re.MULTILINE))


@cache
def corpus_cases() -> frozenset[str] | None:
    folder = corpus_folder()
    if folder is None:
        return None
    lines = (line for file in (folder / "cases").glob("*.jsonl") for line in file.read_text(encoding="utf-8").splitlines())
    return frozenset(str(json.loads(line)["id"]) for line in lines)


def is_there(entry: str) -> bool:
    if re.fullmatch(r"[a-z0-9_]+_[bs]_\d{4}", entry):
        cases = corpus_cases()
        return cases is None or (entry in cases and entry not in (HERE / "deviations.toml").read_text(encoding="utf-8"))
    file, mark, name = re.match(r"([^:]+)(::|: |$)(.*)", entry).groups()  # type: ignore[union-attr]
    path = ROOT / file
    if mark == "::":
        return path.is_file() and name in functions_in(path)
    return path.exists() and (not mark or name in lines_of(path))


def test_each_item_that_works_has_a_test_that_exists() -> None:
    assert [item for item, entry in ITEMS.items() if status(entry) == "works" and not is_there(entry)] == []


def test_each_other_item_says_why() -> None:
    assert [item for item, entry in ITEMS.items() if status(entry) != "works" and len(entry.partition(": ")[2]) < 12] == []


def test_most_items_work() -> None:
    counts = Counter(status(entry) for entry in ITEMS.values())
    for file in (HERE / "pyflink_calls").glob("*.txt"):
        for _, mark in re.findall(r"^(\w+)(:| !!)", file.read_text(encoding="utf-8"), re.MULTILINE):
            counts["works" if mark == ":" else "declared"] += 1
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    assert counts["works"] >= WORKING_SHARE * counts.total()
    assert counts["works"] + counts["declared"] >= KNOWN_SHARE * counts.total()


@pytest.mark.parametrize(
    "entry", ["tests/conformance/test_inventory.py::test_nothing", "tests/none.py", "tests/conformance/cases/queries/select.test: no"]
)
def test_an_entry_that_names_nothing_is_found(entry: str) -> None:
    assert not is_there(entry)
