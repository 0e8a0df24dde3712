from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.expressions.call_inference import infer_call
from table_common.functions.builtin import BUILT_INS, BUILT_INS_BY_NAME
from table_common.types import (
    BigIntType,
    BooleanType,
    DecimalType,
    DoubleType,
    IntType,
    NullType,
    TimestampKind,
    TimestampType,
    VarCharType,
    ZonedTimestampType,
    is_time_attribute,
    types_in,
)


@pytest.fixture
def argument_types(args):
    return lambda name, *arguments: infer_call(BUILT_INS_BY_NAME[name], args(*arguments)).argument_types


@pytest.fixture
def message(args):
    def refused(name, *arguments):
        with pytest.raises(ValidationException) as error:
            infer_call(BUILT_INS_BY_NAME[name], args(*arguments))
        return str(error.value)

    return refused


def test_numbers_of_one_kind_take_the_wider_type(argument_types):
    assert argument_types("PLUS", "INT NOT NULL", "BIGINT") == (BigIntType(nullable=False), BigIntType())


def test_integers_beside_decimals_become_decimals_of_their_own_digits(argument_types):
    assert argument_types("TIMES", "DECIMAL(5, 2)", "INT") == (DecimalType(5, 2), DecimalType(10, 0))


def test_decimals_beside_doubles_become_doubles(argument_types):
    assert argument_types("DIVIDE", "DECIMAL(5, 2)", "DOUBLE") == (DoubleType(), DoubleType())


def test_mathematical_functions_take_doubles(argument_types):
    assert argument_types("SQRT", "DECIMAL(5, 2) NOT NULL") == (DoubleType(nullable=False),)


def test_modulo_keeps_its_arguments(argument_types):
    assert argument_types("MOD", "BIGINT", "INT") == (BigIntType(), IntType())


def test_compared_numbers_take_their_common_type(argument_types):
    assert argument_types("EQUALS", "INT", "DECIMAL(5, 2)") == (DecimalType(12, 2), DecimalType(12, 2))


def test_compared_decimals_beyond_38_digits_stay(argument_types):
    assert argument_types("EQUALS", "DECIMAL(38, 0)", "DECIMAL(38, 38)") == (DecimalType(38, 0), DecimalType(38, 38))


def test_null_gets_the_type_of_the_other_side(argument_types):
    assert argument_types("EQUALS", NullType(), "INT NOT NULL") == (IntType(), IntType(nullable=False))


def test_null_gets_the_type_that_the_function_requires(argument_types):
    assert argument_types("UPPER", NullType()) == (VarCharType(),)


def test_null_is_an_unknown_truth_value(argument_types):
    assert argument_types("AND", NullType(), "BOOLEAN NOT NULL") == (BooleanType(), BooleanType(nullable=False))


def test_text_and_numbers_in_a_list_become_text(argument_types):
    assert argument_types("IN", "CHAR(1)", "INT", "INT") == (VarCharType(), VarCharType(), VarCharType())


def test_branches_of_case_take_their_common_type(argument_types):
    assert argument_types("CASE", "BOOLEAN", "INT", NullType()) == (BooleanType(), IntType(), IntType())


def test_the_count_of_arguments_is_judged_first(message):
    assert message("UPPER") == "UPPER takes 1 argument, but got 0: UPPER(). Accepted: UPPER(<STRING>)."


def test_wrong_types_are_shown_with_what_is_accepted(message):
    assert message("CONCAT_OP", "CHAR(1) NOT NULL", "INT") == (
        "CONCAT_OP(CHAR(1) NOT NULL, INT) is not a valid call. Accepted: CONCAT_OP(<STRING>, <STRING>).\n"
        "hint: CAST the other operand AS STRING"
    )


def test_all_overloads_are_shown(message):
    assert "CARDINALITY(<ARRAY>) or CARDINALITY(<MAP>)" in message("CARDINALITY", "INT")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("PLUS", ("STRING", "INT")),
        ("PLUS", ("DATE", "INT")),
        ("MINUS", ("DATE", "DATE")),
        ("PLUS", ("INTERVAL YEAR TO MONTH", "INTERVAL DAY TO SECOND")),
        ("DIVIDE", ("INTERVAL DAY TO SECOND", "INT")),
        ("MOD", ("DOUBLE", "INT")),
        ("EQUALS", ("DATE", "INT")),
        ("EQUALS", ("ARRAY<INT>", "INT")),
        ("LESS_THAN", ("DATE", "TIMESTAMP(3)")),
        ("LESS_THAN", ("ROW<a INT>", "ROW<a INT>")),
        ("EQUALS", ("BOOLEAN", "INT")),
        ("NOT", ("INT",)),
        ("LIKE", ("STRING", "INT")),
        ("YEAR", ("STRING",)),
        ("CARDINALITY", ("MULTISET<INT>",)),
        ("AT", ("ARRAY<INT>", "STRING")),
        ("SUM", ("DATE",)),
        ("SUM", ("BOOLEAN",)),
        ("AVG", ("STRING",)),
        ("MAX", ("INTERVAL DAY TO SECOND",)),
        ("MAX", ("ARRAY<INT>",)),
        ("COUNT", (NullType(),)),
        ("COALESCE", (NullType(), NullType())),
        ("JSON_STRING", ("DATE",)),
        ("CONCAT", ("STRING", "INT")),
        ("TIMESTAMPDIFF", ("STRING", "DATE", "DATE")),
    ],
)
def test_these_calls_are_refused(message, name, arguments):
    assert "is not a valid call" in message(name, *arguments)


def test_a_cast_that_does_not_exist_names_both_types(message):
    assert message("CAST", "INT", TypeLiteralExpression(TimestampType(3))) == "CAST cannot convert INT to TIMESTAMP(3)."


def test_an_index_below_one_is_refused(message, literal):
    assert "counted from 1, but the index is 0" in message("AT", "ARRAY<INT>", literal(0, "INT NOT NULL"))


def test_an_escape_is_one_character(message, literal):
    assert "takes one character, but got 'xx'" in message("LIKE", "STRING", "STRING", literal("xx", "CHAR(2)"))


def test_a_length_that_sha2_does_not_know_is_refused(message, literal):
    assert "224, 256, 384, 512 bits, but got 100" in message("SHA2", "STRING", literal(100, "INT NOT NULL"))


def test_an_unknown_field_suggests_the_closest(message, literal):
    text = message("GET", "ROW<name STRING>", literal("nam", "CHAR(3)"))
    assert "has no field 'nam'" in text
    assert "Did you mean 'name'?" in text


def test_returning_of_json_value_lists_its_types(message, literal):
    symbol = ValueLiteralExpression(None, NullType())
    text = message("JSON_VALUE", "STRING", "STRING", TypeLiteralExpression(BigIntType()), symbol, symbol, symbol, symbol)
    assert "cannot return BIGINT" in text


def test_a_cast_to_timestamp_with_time_zone_names_what_to_use(message):
    assert "TIMESTAMP_LTZ" in message("CAST", "TIMESTAMP(3)", TypeLiteralExpression(ZonedTimestampType(3)))


GIVE_TIME_ATTRIBUTES = {
    *(f"{window}_{time}" for window in ("TUMBLE", "HOP", "SESSION") for time in ("ROWTIME", "PROCTIME")),
    "MATCH_ROWTIME",
    "MATCH_PROCTIME",
    "PROCTIME",
}


def test_only_functions_that_say_so_give_time_attributes():
    assert {one.name for one in BUILT_INS if one.get_type_inference().gives_time_attribute} == GIVE_TIME_ATTRIBUTES
    time = FieldReferenceExpression("ts", TimestampType(3, kind=TimestampKind.ROWTIME), 0, 0)
    number = FieldReferenceExpression("n", IntType(), 0, 1)
    flag = FieldReferenceExpression("b", BooleanType(), 0, 2)
    lists = [(time,), (time, time), (number, time), (time, number), (flag, time, time), (flag, time, number), (time, number, time)]
    typed = set()
    for definition in BUILT_INS:
        for arguments in lists:
            try:
                result = infer_call(definition, arguments).output_type
            except ValidationException:
                continue
            typed.add(definition.name)
            if definition.name not in GIVE_TIME_ATTRIBUTES:
                assert not any(map(is_time_attribute, types_in(result))), f"{definition.name}{tuple(map(str, arguments))}: {result}"
    assert {"COALESCE", "IF", "CASE", "MAX", "FIRST_VALUE", "LAG", "ROW", "ARRAY", "COLLECT", "GREATEST", "NULLIF"} <= typed
