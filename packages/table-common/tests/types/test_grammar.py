from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import TYPE_NAMES, LogicalType, parse_logical_type, suggest_type_names


@pytest.mark.parametrize("name", sorted(TYPE_NAMES - {"MAP", "RAW", "ROW", "STRUCTURED", "ARRAY", "MULTISET"}))
def test_the_name_of_a_type_without_arguments_is_a_type(name: str) -> None:
    assert isinstance(parse_logical_type(name), LogicalType)


@pytest.mark.parametrize("text", ["ROW<a INT, b INT, a STRING>", "ROW(a INT, a INT)", "STRUCTURED<'c', a INT, a INT>"])
def test_two_fields_of_one_name_are_refused(text: str) -> None:
    with pytest.raises(ValidationException, match="The name 'a' is used for more than one field of the type") as caught:
        parse_logical_type(text)
    assert caught.value.position is not None


def test_field_names_differ_by_case() -> None:
    assert parse_logical_type("ROW<a INT, A INT>") == parse_logical_type("ROW<`a` INT, `A` INT>")


def test_a_repeated_name_in_another_row_is_accepted() -> None:
    assert str(parse_logical_type("ROW<a INT, b ROW<a INT>>")) == "ROW<`a` INT, `b` ROW<`a` INT>>"


@pytest.mark.parametrize(
    ("written", "suggestion"), [("VARCHR", "VARCHAR"), ("TEXT", "STRING"), ("int64", "BIGINT"), ("datetime", "TIMESTAMP")]
)
def test_a_misspelt_or_foreign_name_suggests_ours_first(written: str, suggestion: str) -> None:
    assert suggest_type_names(written, TYPE_NAMES, 2)[0] == suggestion


def test_a_name_like_no_other_suggests_nothing() -> None:
    assert suggest_type_names("QXZ", TYPE_NAMES, 2) == []
