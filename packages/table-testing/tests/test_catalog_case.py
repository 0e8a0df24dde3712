from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from table_common.catalog import CatalogTable, Schema
from table_common.exceptions import CatalogConflictException, CatalogException
from table_testing.catalog_case import described, fails, try_to_change


def refuse(name: str) -> None:
    raise CatalogException(f"Table '{name}' does not exist.")


def test_the_message_of_a_refusal_is_returned() -> None:
    assert fails("t", refuse, "t") == "Table 't' does not exist."


def test_a_call_that_does_not_fail_is_an_assertion_error() -> None:
    with pytest.raises(AssertionError, match="does not raise an error"):
        fails("t", str, "t")


@pytest.mark.parametrize("error", [CatalogConflictException("orders"), KeyError("orders"), CatalogException("something else")])
def test_another_error_or_one_without_the_name_is_an_assertion_error(error: Exception) -> None:
    def call() -> None:
        raise error

    with pytest.raises(AssertionError):
        fails("orders", call)


def test_a_description_does_not_depend_on_the_form_of_types() -> None:
    text = CatalogTable(Schema.new_builder().column("a", "INT").build())
    object_ = replace(text, schema=Schema.new_builder().column("a", "integer").build())
    assert described(text) == described(object_)
    assert described(text) != described(replace(text, comment="c"))


def test_only_a_mapping_that_can_be_changed_is_changed() -> None:
    options = {"a": "1"}
    try_to_change(MappingProxyType(options))
    assert options == {"a": "1"}
    try_to_change(options)
    assert options["changed"] == "from outside"
