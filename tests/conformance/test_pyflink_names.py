"""All public names of PyFlink's Table API exist here under their paths."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest
from corpus import NOT_FOUND, corpus_folder

FOLDER = corpus_folder()

needs_names = pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)


def names() -> dict[str, dict[str, Any]]:
    assert FOLDER is not None
    found: dict[str, dict[str, Any]] = json.loads((FOLDER / "pyflink_api.json").read_text(encoding="utf-8"))
    return found


@needs_names
def test_every_public_name_exists_under_its_path() -> None:
    missing = set()
    for path, description in names().items():
        module, name = path.split(".", 1)
        found = getattr(import_module("table_api" if module == "table" else f"table_api.{module}"), name, None)
        if found is None:
            missing.add(path)
        else:
            missing |= {f"{path}.{member}" for member in description.get("members", ()) if not hasattr(found, member)}
    assert missing == set()
