"""PyFlink's fluent methods and functions are ours too, but for those listed with a reason."""

from __future__ import annotations

import json

import pytest
from corpus import NOT_FOUND, corpus_folder

import table_api.expressions
from table_api import Expression

FOLDER = corpus_folder()

MISSING_METHODS = {
    "flatten": "SELECT r.* and col('r').get('field') take a row apart",
}
MISSING_FUNCTIONS = {"descriptor": "belongs to table functions with a DESCRIPTOR, which the Table API does not have in this version"}

needs_names = pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)


def names() -> dict[str, dict[str, list[str]]]:
    assert FOLDER is not None
    found: dict[str, dict[str, list[str]]] = json.loads((FOLDER / "pyflink_api.json").read_text(encoding="utf-8"))
    return found


@needs_names
def test_every_fluent_method_exists_or_has_a_reason() -> None:
    missing = {name for name in names()["expression.Expression"]["members"] if not hasattr(Expression, name)}
    assert missing == set(MISSING_METHODS)


@needs_names
def test_every_function_exists_or_has_a_reason() -> None:
    functions = {key.removeprefix("expressions.") for key in names() if key.startswith("expressions.")}
    assert {name for name in functions if not hasattr(table_api.expressions, name)} == set(MISSING_FUNCTIONS)
