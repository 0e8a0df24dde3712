"""The register of fast paths, ``docs/adr/fast-paths.md``: its rows are those that the benchmark measures, and each is compared with the general path by a test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "packages" / "table-runtime" / "src" / "table_runtime"
TESTS = ROOT / "packages" / "table-runtime" / "tests"
ROW = re.compile(r"^\| `(?P<file>[\w/]+\.py)` \| `(?P<general>[\w/]+\.py)` \| (?P<gain>[\d.]+) \| `(?P<test>[\w/]+\.py)` \|$", re.MULTILINE)
ROWS = [match.groupdict() for match in ROW.finditer((ROOT / "docs" / "adr" / "fast-paths.md").read_text(encoding="utf-8"))]
LEAST_GAIN = 1.3


def test_the_register_has_the_paths_that_the_benchmark_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    from fast_paths import FAST_PATHS

    assert [(row["file"], row["general"]) for row in ROWS] == [(path.file, path.general) for path in FAST_PATHS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])
def test_a_fast_path_exists_and_is_compared_with_the_general_one(row: dict[str, str]) -> None:
    assert (SOURCES / row["file"]).is_file()
    assert (SOURCES / row["general"]).is_file()
    name = Path(row["file"]).stem
    assert name in (TESTS / row["test"]).read_text(encoding="utf-8"), f"{row['test']} does not name {name}"
    assert float(row["gain"]) >= LEAST_GAIN, f"{row['file']} gains too little to be kept"
