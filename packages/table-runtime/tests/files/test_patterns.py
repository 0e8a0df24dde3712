"""Patterns find what glob finds, and list no folder that a session must not read."""

from __future__ import annotations

import glob
from pathlib import Path

import pytest

from table_common.configuration import Configuration
from table_common.exceptions import ValidationException
from table_common.gate import Gate
from table_runtime.files.patterns import matches_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("in/a/t.csv", "in/a/u.csv", "in/b/t.csv", "in/b/.hidden.csv", "in/a.csv", "in/b/[x].csv", "out/t.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n")
    return tmp_path


@pytest.mark.parametrize(
    "pattern", ["in/*/t.csv", "in/?/*.csv", "in/*", "*/[ab]/t*", "in/*/nothing", "in/a.csv/*", "in/b/[[]x].csv", "in/*/../a/*.csv", "no/*"]
)
def test_matches_are_those_of_glob(folder: Path, pattern: str) -> None:
    assert list(matches_of(str(folder / pattern))) == sorted(glob.glob(str(folder / pattern)))


def test_braces_are_alternatives(folder: Path) -> None:
    found = matches_of(str(folder / "in/{a,b}/t.csv"))
    assert found == (str(folder / "in/a/t.csv"), str(folder / "in/b/t.csv"))


@pytest.mark.parametrize("pattern", ["in/l*/t.csv", "in/l*/nothing?", "in/*/none*", "in/link/none*", "*/a/t.csv", "in/a/../../out/none*"])
def test_no_folder_elsewhere_is_listed(folder: Path, pattern: str) -> None:
    (folder / "in" / "link").symlink_to(folder / "out")
    gate = Gate.of_session(Configuration({"table.security.allowed-paths": str(folder / "in")}))
    with gate.in_force(), pytest.raises(ValidationException, match="allowed-paths"):
        matches_of(str(folder / pattern))


def test_allowed_folders_are_listed(folder: Path) -> None:
    gate = Gate.of_session(Configuration({"table.security.allowed-paths": str(folder / "in")}))
    with gate.in_force():
        assert len(matches_of(str(folder / "in/*/t.csv"))) == 2
