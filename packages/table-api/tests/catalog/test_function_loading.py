"""Functions by the name of their class."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import pytest

from table_api.catalog.function_loading import as_definition, importable_name, load_function
from table_common.exceptions import ValidationException
from table_common.functions import ScalarFunction, UserFunction
from table_common.functions.builtin import lookup_built_in


class PlusOne(ScalarFunction):
    def eval(self, i: int) -> int:
        return i + 1


def test_a_definition_is_itself() -> None:
    upper = lookup_built_in("UPPER")
    assert upper is not None
    assert as_definition(upper, "f") is upper


def test_a_class_becomes_a_definition_of_the_name() -> None:
    definition = as_definition(PlusOne, "f")
    assert isinstance(definition, UserFunction)
    assert definition.name == "f"


@pytest.mark.parametrize(("function", "name"), [(OrderedDict, "collections.OrderedDict"), ("m:C", "m.C"), ("m.C", "m.C")], ids=str)
def test_a_class_has_an_importable_name(function: object, name: str) -> None:
    assert importable_name(function) == name


def test_an_object_has_no_importable_name() -> None:
    with pytest.raises(ValidationException, match="A catalog stores the name of a function's class, but got an object of PlusOne"):
        importable_name(PlusOne())


def test_a_class_of_a_module_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "module_to_load.py").write_text(
        "from table_common.functions import ScalarFunction\n"
        "class Outer:\n"
        "    class Inner(ScalarFunction):\n"
        "        def eval(self, i: int) -> int:\n"
        "            return i\n"
    )
    assert load_function("module_to_load.Outer.Inner", "f").name == "f"


@pytest.mark.parametrize(
    ("class_name", "message"),
    [
        ("nowhere.F", "The module 'nowhere' does not exist"),
        ("fractions.Nope", "The module 'fractions' has no 'Nope'"),
        ("fractions.Fraction", "'fractions.Fraction' cannot be the function 'f'"),
        ("just_a_name", "is not the name of a class"),
    ],
)
def test_what_cannot_be_loaded_is_named(class_name: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        load_function(class_name, "f")
