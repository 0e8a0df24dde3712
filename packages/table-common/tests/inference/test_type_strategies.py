from __future__ import annotations

from table_common.expressions import TypeLiteralExpression, ValueLiteralExpression
from table_common.inference.type_strategies import (
    array_of,
    explicit,
    first_of,
    force_not_null,
    force_nullable,
    least_common,
    mapping,
    match_family,
    nullable_if,
    nullable_if_all_args,
    nullable_if_args,
    nullable_if_global,
    same_as,
    varying,
)
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    CharType,
    DoubleType,
    IntType,
    SymbolType,
    VarBinaryType,
    VarCharType,
)
from table_common.types.symbols import TimeUnit

INT = IntType(nullable=False)


def test_explicit_is_always_the_same(context):
    assert explicit(INT)(context("STRING")) == INT


def test_same_as_returns_the_type_of_the_argument(context):
    assert same_as(1)(context("STRING", "INT NOT NULL")) == INT


def test_same_as_has_no_answer_for_an_argument_left_out(context):
    assert same_as(1)(context("STRING")) is None


def test_force_nullable_and_force_not_null(context):
    assert (force_nullable(explicit(INT))(context()), force_not_null(explicit(IntType()))(context())) == (IntType(), INT)


def test_nullable_if_args_follows_any_argument(context):
    rule = nullable_if_args(explicit(INT))
    assert (rule(context("INT NOT NULL", "INT")), rule(context("INT NOT NULL"))) == (IntType(), INT)


def test_nullable_if_args_does_not_count_symbols_and_type_literals(context):
    symbol = ValueLiteralExpression(TimeUnit.DAY, SymbolType())
    assert nullable_if_args(explicit(INT))(context(symbol, TypeLiteralExpression(IntType()), "INT NOT NULL")) == INT


def test_nullable_if_looks_at_its_positions_only(context):
    assert nullable_if(explicit(INT), 0)(context("INT NOT NULL", "INT")) == INT


def test_nullable_if_all_args_needs_all(context):
    rule = nullable_if_all_args(explicit(INT))
    assert (rule(context("INT NOT NULL", "INT")), rule(context("INT", "INT"))) == (INT, IntType())


def test_nullable_if_global_follows_the_kind_of_aggregation(context):
    rule = nullable_if_global(explicit(INT))
    assert (rule(context()), rule(context(is_global=True))) == (INT, IntType())


def test_least_common_from_a_position(context):
    assert least_common(1)(context("STRING", "INT NOT NULL", "BIGINT")) == BigIntType()


def test_first_of_tries_strategies_in_order(context):
    assert first_of(same_as(3), explicit(INT))(context("STRING")) == INT


def test_mapping_chooses_by_class(context):
    rule = mapping({IntType: explicit(INT)})
    assert (rule(context("INT")), rule(context("STRING"))) == (INT, None)


def test_match_family_answers_for_its_classes(context):
    rule = match_family(0, [IntType], explicit(INT))
    assert (rule(context("INT")), rule(context("STRING"))) == (INT, None)


def test_varying_frees_lengths(context):
    assert (varying(explicit(CharType(3)))(context()), varying(explicit(BinaryType(2)))(context())) == (VarCharType(3), VarBinaryType(2))


def test_varying_leaves_other_types(context):
    assert varying(explicit(DoubleType()))(context()) == DoubleType()


def test_array_of_is_not_null(context):
    assert array_of(same_as(0))(context("INT")) == ArrayType(IntType(), nullable=False)
