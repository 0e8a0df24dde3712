from __future__ import annotations

from table_common.inference.argument_types import explicit_argument
from table_common.inference.input_strategies import common_type, no_arguments, or_, sig, varargs, wildcard
from table_common.types import BigIntType, BooleanType, DecimalType, IntType, NullType, VarCharType

INT = explicit_argument(IntType())
BIGINT = explicit_argument(BigIntType())
STRING = explicit_argument(VarCharType())
BOOLEAN = explicit_argument(BooleanType())


def test_a_signature_casts_each_argument_by_its_rule(context):
    assert sig(BIGINT, STRING).infer(context("INT", "CHAR(2)")) == (BigIntType(), VarCharType())


def test_a_signature_refuses_if_one_argument_does_not_fit(context):
    assert sig(INT, INT).infer(context("INT", "STRING")) is None


def test_optional_arguments_may_be_left_out(context):
    rule = sig(INT, optional=[INT, STRING])
    assert (str(rule.argument_count), rule.infer(context("INT"))) == ("1 to 3", (IntType(),))


def test_a_signature_shows_what_is_optional():
    assert sig(INT, optional=[INT, STRING]).signatures() == ["<INT>[, <INT>][, <STRING>]"]


def test_no_arguments_means_none():
    assert str(no_arguments().argument_count) == "0"


def test_varargs_take_any_number(context):
    assert varargs(INT, repeated=STRING).infer(context("INT", "STRING", "STRING")) == (IntType(), VarCharType(), VarCharType())


def test_varargs_need_the_least_number(context):
    assert varargs(repeated=STRING, at_least=2).infer(context("STRING")) is None


def test_varargs_repeat_whole_groups(context):
    rule = varargs(repeated=(STRING, INT))
    assert (rule.infer(context("STRING", "INT")), rule.infer(context("STRING"))) == ((VarCharType(), IntType()), None)


def test_varargs_show_the_group():
    assert varargs(INT, repeated=(STRING, INT)).signatures() == ["<INT>, [<STRING>, <INT>]..."]


def test_or_prefers_the_list_that_needs_no_cast(context):
    assert or_(sig(BIGINT), sig(INT)).infer(context("INT")) == (IntType(),)


def test_or_selects_the_first_list_that_needs_casts(context):
    assert or_(sig(BIGINT), sig(STRING)).infer(context("INT")) == (BigIntType(),)


def test_or_counts_arguments_over_all_lists():
    assert str(or_(sig(INT), sig(INT, INT, INT)).argument_count) == "1 to 3"


def test_or_has_no_upper_bound_if_one_list_has_none():
    assert str(or_(sig(INT), varargs(repeated=INT, at_least=2)).argument_count) == "at least 1"


def test_or_shows_every_list():
    assert or_(sig(INT), sig(STRING)).signatures() == ["<INT>", "<STRING>"]


def test_common_type_casts_all_and_keeps_nullability(context):
    assert common_type().infer(context("INT NOT NULL", "DECIMAL(5, 2)")) == (DecimalType(12, 2, nullable=False), DecimalType(12, 2))


def test_null_gets_the_common_type_of_the_others(context):
    assert common_type().infer(context(NullType(), "INT NOT NULL")) == (IntType(), IntType(nullable=False))


def test_common_type_refuses_only_nulls(context):
    assert common_type().infer(context(NullType(), NullType())) is None


def test_common_type_refuses_what_has_none(context):
    assert common_type().infer(context("INT", "STRING")) is None


def test_common_type_leaves_its_prefix_out(context):
    assert common_type(BOOLEAN, at_least=2).infer(context("BOOLEAN", "INT", "BIGINT")) == (BooleanType(), BigIntType(), BigIntType())


def test_a_wildcard_accepts_everything_unchanged(context):
    assert wildcard(1, 2).infer(context(NullType())) == (NullType(),)
