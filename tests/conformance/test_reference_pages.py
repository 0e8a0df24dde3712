"""The generated pages of docs/reference are up to date."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "page",
    ["differences.md", "functions.md", "limits.md", "options.md", "pyflink.md", "statements.md", "streaming-aggregates.md", "types.md"],
)
def test_a_page_matches_the_code(page: str) -> None:
    written = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    assert written == generator().PAGES[page](), "run: python docs/generate.py"
