"""The program of docs/guide/streaming.md prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "streaming.md"


def test_the_program_of_the_page_prints_what_the_page_shows() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    shown = re.search(r"```\n(\+----.*?)```", text, re.DOTALL)
    assert program is not None
    assert shown is not None
    # Both engines are installed here; the page speaks of the embedded one.
    source = program[1].replace(
        "EnvironmentSettings.in_streaming_mode()", "EnvironmentSettings.new_instance().with_planner('arrow').build()"
    )
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, str(GUIDE), "exec"), {})
    assert output.getvalue() == shown[1]
