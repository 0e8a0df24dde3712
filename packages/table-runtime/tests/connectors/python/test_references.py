"""Names of callables: registered ones, and objects of modules that are imported."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_common.configuration import ReadableConfig
from table_common.exceptions import ValidationException
from table_common.gate import restrictions_in_force
from table_runtime.connectors.python.references import find_object, register_callable, unregister_callable

WHERE = "The option 'callable' of table t"


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    before = set(sys.modules)
    yield
    unregister_callable("mine")
    for name in set(sys.modules) - before:
        if name.startswith("programs_of_tests"):
            del sys.modules[name]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes a package of a user, which can be imported."""
    folder = tmp_path / "programs_of_tests"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "rows.py").write_text("class Holder:\n    class Inner:\n        def give(): return []\n    value = 1\n")
    (folder / "broken.py").write_text("1 // 0\n")
    (folder / "lacks.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_a_registered_object_comes_before_a_module_and_replaces_the_one_before() -> None:
    first, second = object(), object()
    register_callable("mine", first)
    assert find_object("mine", WHERE) is first
    register_callable("mine", second)
    assert find_object("mine", WHERE) is second
    unregister_callable("mine")
    unregister_callable("mine")
    with pytest.raises(ValidationException):
        find_object("mine", WHERE)


@pytest.mark.parametrize("name", ["", "a.b", "a:b", "1a", "a b", "é "])
def test_a_name_that_could_be_that_of_a_module_cannot_be_registered(name: str) -> None:
    with pytest.raises(ValidationException, match="cannot name a callable"):
        register_callable(name, [])


@pytest.mark.parametrize("name", ["json:loads", "json.loads", "json.decoder:JSONDecoder.decode", "json.decoder.JSONDecoder.decode"])
def test_an_object_is_found_in_a_module_with_and_without_a_colon(name: str) -> None:
    assert find_object(name, WHERE) is (json.loads if name.endswith("loads") else json.JSONDecoder.decode)


@pytest.mark.parametrize("name", ["programs_of_tests.rows:Holder.Inner.give", "programs_of_tests.rows.Holder.Inner.give"])
def test_an_object_may_be_inside_of_another_one(package: Path, name: str) -> None:
    assert isinstance(find_object(name, WHERE), types.FunctionType)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "'' is neither registered nor the name of an object in a module"),
        ("nosuch", "'nosuch' is neither registered"),
        ("json:", "'json:' is neither registered"),
        (":loads", "':loads' is neither registered"),
        ("json:a b", "is neither registered"),
        ("json..loads", "is neither registered"),
        ("jsn:loads", r"there is no module 'jsn'\. Did you mean .*'json'"),
        ("json.decodr:JSONDecoder", r"there is no module 'json\.decodr'\. Did you mean 'json\.decoder'"),
        ("json.lods", r"the module 'json' has no 'lods'\. Did you mean .*'loads'"),
        ("json.decoder:JSONDecoder.decod", r"'JSONDecoder' of the module 'json\.decoder' has no 'decod'\. Did you mean .*'decode'"),
        ("programs_of_tests.broken:x", "the module 'programs_of_tests.broken' cannot be imported: ZeroDivisionError"),
        ("programs_of_tests.broken.x", "the module 'programs_of_tests.broken' cannot be imported: ZeroDivisionError"),
        ("programs_of_tests.lacks:x", "the module 'programs_of_tests.lacks' cannot be imported: No module named 'no_such_library'"),
        ("programs_of_tests.rows.Holdr", "the module 'programs_of_tests.rows' has no 'Holdr'. Did you mean 'Holder'"),
    ],
)
def test_a_name_without_an_object_is_refused_with_the_closest(package: Path, name: str, expected: str) -> None:
    with pytest.raises(ValidationException, match=expected) as failure:
        find_object(name, WHERE)
    assert failure.value.message.startswith(f"{WHERE}: ")


def test_the_names_that_are_registered_are_listed() -> None:
    register_callable("mine", [])
    with pytest.raises(ValidationException, match=r"Did you mean 'mine'\? Registered here: .*mine"):
        find_object("mime", WHERE)


@pytest.mark.parametrize("name", ["programs_of_tests.rows:Holder", "programs_of_tests.rows.Holder", "json:codecs.open", "json.codecs.open"])
def test_a_module_that_statements_must_not_import_is_not_imported(package: Path, name: str) -> None:
    with (
        restrictions_in_force(ReadableConfig({"table.security.allowed-modules": "json"})),
        pytest.raises(ValidationException, match="must not be"),
    ):
        find_object(name, WHERE)
    assert "programs_of_tests.rows" not in sys.modules
