from __future__ import annotations

from table_common.expressions import TypeLiteralExpression, ValueLiteralExpression
from table_common.inference.argument_types import any_type, constant, explicit_argument, family, matching, symbol, type_literal
from table_common.types import (
    ArrayType,
    BigIntType,
    CharacterType,
    CharType,
    DoubleType,
    IntType,
    NullType,
    SymbolType,
    VarCharType,
)
from table_common.types.symbols import TimeUnit

TEXT = family("STRING", CharacterType, default=VarCharType())


def test_a_family_keeps_the_type_of_a_member(context):
    assert TEXT.infer(context("CHAR(3) NOT NULL"), 0) == CharType(3, nullable=False)


def test_a_family_refuses_other_types(context):
    assert TEXT.infer(context("INT"), 0) is None


def test_null_gets_the_default_type_of_a_family(context):
    assert TEXT.infer(context(NullType()), 0) == VarCharType()


def test_a_family_without_default_refuses_null(context):
    assert family("ARRAY", ArrayType).infer(context(NullType()), 0) is None


def test_a_family_casts_implicitly_to_its_default(context):
    assert family("DOUBLE", DoubleType, default=DoubleType()).infer(context("INT NOT NULL"), 0) == DoubleType(nullable=False)


def test_an_explicit_type_accepts_implicit_casts(context):
    assert explicit_argument(BigIntType()).infer(context("INT NOT NULL"), 0) == BigIntType(nullable=False)


def test_an_explicit_type_refuses_what_loses_digits(context):
    assert explicit_argument(IntType()).infer(context("BIGINT"), 0) is None


def test_an_explicit_not_null_type_refuses_nullable_arguments(context):
    assert explicit_argument(IntType(nullable=False)).infer(context("INT"), 0) is None


def test_an_explicit_type_adopts_null(context):
    assert explicit_argument(IntType()).infer(context(NullType()), 0) == IntType()


def test_any_type_refuses_untyped_null(context):
    assert any_type().infer(context(NullType()), 0) is None


def test_any_type_accepts_untyped_null_on_request(context):
    assert any_type(null=True).infer(context(NullType()), 0) == NullType()


def test_matching_evaluates_its_predicate(context):
    assert matching("SHORT", lambda t: isinstance(t, CharType) and t.length < 3).infer(context("CHAR(3)"), 0) is None


def test_a_constant_refuses_columns(context):
    assert constant(TEXT).infer(context("STRING"), 0) is None


def test_a_constant_accepts_literals(context, literal):
    assert constant(TEXT).infer(context(literal("a", "CHAR(1) NOT NULL")), 0) == CharType(1, nullable=False)


def test_a_symbol_accepts_members_of_its_enum(context):
    argument = ValueLiteralExpression(TimeUnit.DAY, SymbolType(nullable=False))
    assert symbol(TimeUnit).infer(context(argument), 0) == SymbolType(nullable=False)


def test_a_symbol_refuses_members_that_are_left_out(context):
    argument = ValueLiteralExpression(TimeUnit.DOW, SymbolType(nullable=False))
    assert symbol(TimeUnit, TimeUnit.DAY).infer(context(argument), 0) is None


def test_a_symbol_refuses_text(context, literal):
    assert symbol(TimeUnit).infer(context(literal("DAY", "CHAR(3)")), 0) is None


def test_a_type_literal_accepts_only_types(context):
    assert type_literal().infer(context(TypeLiteralExpression(IntType())), 0) == IntType()
    assert type_literal().infer(context("INT"), 0) is None


def test_rules_describe_themselves():
    assert [rule.describe() for rule in (TEXT, explicit_argument(IntType()), constant(TEXT), symbol(TimeUnit, TimeUnit.DAY))] == [
        "<STRING>",
        "<INT>",
        "<STRING> constant",
        "DAY",
    ]


def test_an_explicit_array_keeps_one_whose_values_are_values_of_it(context):
    given = ArrayType(IntType(nullable=False), nullable=False)
    assert explicit_argument(ArrayType(IntType())).infer(context(given), 0) == given
