"""Packages whose names are loaded on demand have every name that they list."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import table_common
import table_common.data

ROOT = Path(table_common.__file__).parent
WITHOUT_ARROW = sorted(
    ".".join(file.parent.relative_to(ROOT.parent).parts)
    for file in ROOT.rglob("__init__.py")
    if "lazy_exports(" in file.read_text(encoding="utf-8") and file.parent.name != "arrow"
)


@pytest.mark.parametrize("package", WITHOUT_ARROW)
def test_every_listed_name_of_a_package_loads(package: str) -> None:
    module = import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert set(module.__all__) <= set(dir(module))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'table_common\.data' has no attribute 'Rows'"):
        table_common.data.Rows  # type: ignore[attr-defined]  # noqa: B018
