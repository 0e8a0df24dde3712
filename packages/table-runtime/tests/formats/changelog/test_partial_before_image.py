"""Before images of updates, from messages that hold only the changed fields."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.formats.changelog.partial_before_image import rows_before

TYPE = pa.struct([("id", pa.int32()), ("name", pa.string())])


def before(old: dict[str, Any], new: dict[str, Any], parsed: dict[str, Any], *, has_ignored: bool = False, updated: bool = True) -> Any:
    """Returns the row before; ``parsed`` is what has been read of ``old``."""
    message = pa.array([json.dumps({"old": old, "data": new}).encode()])
    rows = rows_before(
        pa.array([new], TYPE), pa.array([parsed], TYPE), pa.array([updated]), lambda: message, pa.array([0]), has_ignored=has_ignored
    )
    return rows[0].as_py()


NEW = {"id": 1, "name": "b"}


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ({"name": "a"}, {"id": 1, "name": "a"}),
        ({"name": None}, {"id": 1, "name": None}),
        ({"id": 2, "name": "a"}, {"id": 2, "name": "a"}),
        ({}, NEW),
    ],
)
def test_fields_that_did_not_change_are_those_after(old: dict[str, Any], expected: dict[str, Any]) -> None:
    assert before(old, NEW, {"id": old.get("id"), "name": old.get("name")}) == expected


def test_a_field_that_could_not_be_read_is_null() -> None:
    assert before({"id": "x"}, NEW, {"id": None, "name": None}, has_ignored=True) == {"id": None, "name": "b"}
    assert before({"name": "a"}, NEW, {"id": None, "name": "a"}, has_ignored=True) == {"id": 1, "name": "a"}


def test_rows_that_are_no_updates_need_no_row_before() -> None:
    assert before({"name": None}, NEW, {"id": None, "name": None}, updated=False) == NEW
