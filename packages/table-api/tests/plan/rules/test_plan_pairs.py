"""The files of plan pairs."""

from __future__ import annotations

from plan_pairs import FOLDER


def test_each_file_of_pairs_is_run_by_the_test_of_its_rule() -> None:
    pairs = {file.stem for file in FOLDER.glob("*.test")}
    tests = {file.stem.removeprefix("test_") for file in FOLDER.glob("test_*.py")}
    assert pairs - tests == set()
