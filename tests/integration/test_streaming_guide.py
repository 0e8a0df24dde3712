"""The programs of the guides of streaming, event time, process table functions and models print what the pages say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guide"


@pytest.mark.parametrize("page", ["streaming.md", "event-time.md", "process-table-functions.md", "models.md"])
def test_the_program_of_the_guide_prints_the_documented_output(page: str) -> None:
    text = (GUIDES / page).read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    shown = re.search(r"```\n(\+----.*?)```", text, re.DOTALL)
    assert program is not None
    assert shown is not None
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program[1], page, "exec"), {"__name__": "__main__"})
    assert output.getvalue() == shown[1]
