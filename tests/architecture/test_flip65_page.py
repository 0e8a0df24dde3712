"""The tests that docs/reference/flip65.md names exist."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def test_tests_named_on_the_page_exist() -> None:
    named = set(re.findall(r"`(test_(?!user_functions|flip65)\w+)`", (_ROOT / "docs/reference/flip65.md").read_text(encoding="utf-8")))
    folders = (_ROOT / "packages/table-common/tests", _ROOT / "tests/integration")
    defined = {
        name
        for folder in folders
        for file in folder.rglob("*.py")
        for name in re.findall(r"^def (test_\w+)\(", file.read_text(encoding="utf-8"), re.M)
    }
    assert named - defined == set()
