"""The project's own cases: plain-text files under ``cases/``.

A file begins with a comment that says where its results come from: ``# by hand``, or the engine they were taken from. A case is

    -- what it shows
    SET 'option' = 'value';
    SELECT …
    types: INT NOT NULL, STRING
    rows:
    [1, "a"]

All statements but the last, each ending in ``;`` at the end of a line, prepare the session. Rows are JSON in the public corpus's encoding of
values and may come in any order; ``ordered:`` in place of ``rows:`` means in this one. ``error:`` and a regular expression that is
found in the message stand in place of types and rows where the statement must fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parent / "cases"


@dataclass(frozen=True)
class Case:
    """A statement and its expected result."""

    id: str
    setup: tuple[str, ...]
    sql: str
    types: str | None
    rows: tuple[list[Any], ...]
    ordered: bool
    error: str | None


def read_cases() -> Iterator[Case]:
    """Yields the cases of all files, in order."""
    for file in sorted(CASES.rglob("*.test")):
        name = file.relative_to(CASES).with_suffix("").as_posix()
        origin, *blocks = file.read_text(encoding="utf-8").split("\n-- ")
        if not origin.startswith("# "):
            raise ValueError(f"{file}: the first line says where the results come from")
        for block in blocks:
            title, _, body = block.partition("\n")
            yield _read(f"{name}: {title.strip()}", body)


def _read(case: str, body: str) -> Case:
    statement: list[str] = []
    types = error = None
    rows: list[list[Any]] = []
    section = "sql"
    for line in body.splitlines():
        keyword, _, rest = line.partition(":")
        if section == "sql" and keyword == "types":
            types = rest.strip()
        elif section == "sql" and keyword == "error":
            error = rest.strip()
        elif keyword in ("rows", "ordered") and not rest:
            section = keyword
        elif not line.strip():
            continue
        elif section == "sql":
            statement.append(line)
        else:
            rows.append(json.loads(line))
    if (types is None) == (error is None):
        raise ValueError(f"{case}: has either types and rows, or an error")
    *setup, sql = [text.strip() for text in ("\n".join(statement) + "\n").split(";\n")]
    return Case(case, tuple(setup), sql, types, tuple(rows), section == "ordered", error)
