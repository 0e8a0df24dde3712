"""The module that defines a name."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from table_common.members import home_of

OTHER = """
data = [1]
class Base:
    rows = [1]
    def run(self): ...
instance = Base()
"""
OWN = """
import other_home, other_home as renamed
from other_home import data, data as copied, instance
from other_home import *
import os.path
if True:
    chosen = [2]
first, *rest = [x for x in (1, 2)]
def function(): ...
class Own(other_home.Base):
    own = 1
held = Own()
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that imports from another one."""
    (tmp_path / "other_home.py").write_text(OTHER)
    (tmp_path / "own_home.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("own_home", "other_home"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import own_home  # type: ignore[import-not-found]  # made above

    module: ModuleType = own_home
    return module


@pytest.mark.parametrize("name", ["chosen", "first", "rest", "function", "Own", "held"])
def test_names_that_a_module_binds_are_its_own(own: ModuleType, name: str) -> None:
    assert home_of(own, name) == "own_home"


@pytest.mark.parametrize("name", ["data", "copied", "instance", "other_home", "renamed", "Base"])
def test_imported_names_are_those_of_their_module(own: ModuleType, name: str) -> None:
    assert home_of(own, name) in ("other_home", None)


def test_inherited_names_are_those_of_the_class_that_has_them(own: ModuleType) -> None:
    assert home_of(own.Own, "own") == "own_home"
    assert home_of(own.Own, "rows") == home_of(own.Own, "run") == home_of(own.held, "rows") == "other_home"


def test_nobody_knows_where_a_name_of_a_built_in_module_comes_from() -> None:
    assert home_of(sys, "path") is None
    assert home_of(sys, "exit") == "sys"
