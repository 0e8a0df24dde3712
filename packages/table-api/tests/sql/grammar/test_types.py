from __future__ import annotations

import pytest
from hypothesis import assume, given

from table_api.expressions.unresolved import Call, TypeLiteral
from table_api.sql.parser import expected_tokens, parse_expression
from table_common.exceptions import SqlParserException, ValidationException
from table_common.types import CharType, FloatType, IntType, LogicalType, named_types, parse_logical_type
from table_testing.strategies import logical_types


def _cast_type(text: str) -> LogicalType:
    call = parse_expression(f"CAST(x AS {text})")
    assert isinstance(call, Call)
    target = call.args[1]
    assert isinstance(target, TypeLiteral)
    return target.type


@given(logical_types())
def test_a_type_that_sql_has_reads_the_same_as_in_a_type_text(type_: LogicalType) -> None:
    text = type_.serializable()
    assume("INTERVAL" not in text and "DESCRIPTOR" not in text)
    assert _cast_type(text) == parse_logical_type(text)


def test_real_is_float() -> None:
    assert _cast_type("REAL NOT NULL") == FloatType(nullable=False)


def test_a_character_type_may_have_length_0() -> None:
    assert _cast_type("CHAR(0)") == CharType(0)


def test_a_quoted_name_is_not_a_built_in_type() -> None:
    with pytest.raises(ValidationException, match="There is no type 'int'") as caught:
        _cast_type("`int`")
    assert caught.value.hint == "without back-ticks it is the type INT"


def test_a_quoted_name_can_be_a_named_type() -> None:
    with named_types({"point": IntType()}.get):
        assert _cast_type("ARRAY<`point`>") == parse_logical_type("ARRAY<INT>")


def test_the_type_name_of_another_system_suggests_ours() -> None:
    with pytest.raises(ValidationException, match="There is no type 'TEXT'") as caught:
        _cast_type("TEXT")
    assert caught.value.hint == "did you mean STRING?"


def test_two_fields_of_one_name_are_refused_at_their_row() -> None:
    with pytest.raises(ValidationException, match="The name 'a' is used for more than one field") as caught:
        _cast_type("ARRAY<ROW<a INT, a INT>>")
    assert caught.value.position is not None
    assert caught.value.position.column == len("CAST(x AS ARRAY<") + 1


@pytest.mark.parametrize("text", ["INTERVAL DAY ARRAY", "ARRAY<INTERVAL DAY>", "ROW<a INTERVAL MONTH>"])
def test_an_interval_is_not_an_element_or_field_in_sql(text: str) -> None:
    with pytest.raises(SqlParserException):
        _cast_type(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CAST(x AS TIMESTAMP(3) WITH ", {"LOCAL", "TIME"}),
        ("CAST(x AS ROW ", {"(", "<", "<>"}),
        ("CAST(x AS ARRAY<INT ", {">", "ARRAY", "MULTISET", "NOT"}),
        ("CAST(x AS STRUCTURED<'c' ", {",", ">"}),
    ],
)
def test_completion_inside_a_type_offers_what_may_follow(text: str, expected: set[str]) -> None:
    statement = f"SELECT {text}"
    assert expected_tokens(statement, len(statement)) == expected
