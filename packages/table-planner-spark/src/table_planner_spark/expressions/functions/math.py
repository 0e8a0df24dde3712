"""Mathematical functions. Those of DOUBLE return NaN and infinities where Spark returns NULL."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression, TimeUnit
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import math as fn
from table_common.types import EXACT_INTEGERS, CharacterType, DecimalType, DoubleType, FloatType
from table_planner_spark.expressions.functions.arithmetic import negated
from table_planner_spark.expressions.functions.temporal_rounding import round_datetime
from table_planner_spark.expressions.functions.translation import Translation, as_type, literal_of, sql, template, typed
from table_planner_spark.expressions.names import bind, quote_text
from table_planner_spark.expressions.value_sizes import guarded
from table_planner_spark.expressions.worker_kernels import through_kernel

_NAN, _MINUS_INFINITY = "CAST('NaN' AS DOUBLE)", "CAST('-Infinity' AS DOUBLE)"


def _logarithm(name: str) -> Translation:
    return template(
        f"(CASE WHEN {{0}} > 0 THEN {name}({{0}}) WHEN {{0}} = 0 THEN {_MINUS_INFINITY} WHEN {{0}} IS NOT NULL THEN {_NAN} END)"
    )


_ln = _logarithm("ln")
_quotient = template("(CASE WHEN {1} = 0 THEN if({0} = 0, " + _NAN + ", {0} * CAST('Infinity' AS DOUBLE)) ELSE {0} / nullif({1}, 0) END)")


def _log(call: CallExpression, args: Sequence[str]) -> str:
    if len(args) == 1:
        return _ln(call, args)
    return _quotient(call, [_ln(call, [args[1]]), _ln(call, [args[0]])])


def _whole(name: str) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        type_ = call.args[0].output_type
        unit = literal_of(call, 1)
        if isinstance(unit, TimeUnit):
            return round_datetime(name, args[0], type_, call.output_type, unit)
        if isinstance(type_, EXACT_INTEGERS):
            return args[0]
        if isinstance(type_, (FloatType, DoubleType)):
            # Spark's result is BIGINT, which holds neither NaN nor large numbers; numbers from 2^52 on are integers already.
            return template(f"if(abs({{0}}) < 4503599627370496, {as_type(f'{name}({{0}})', type_)}, {{0}})")(call, args)
        return as_type(f"{name}({args[0]})", call.output_type)

    return translate


def _round(call: CallExpression, args: Sequence[str]) -> str:
    digits = args[1] if len(args) > 1 else "0"
    if len(args) > 1 and literal_of(call, 1) is None:
        return through_kernel(call, args)  # Spark accepts only constants
    return as_type(f"round({args[0]}, {digits})", call.output_type)


def _truncate(call: CallExpression, args: Sequence[str]) -> str:
    value, type_ = args[0], call.args[0].output_type
    digits = literal_of(call, 1) if len(args) > 1 else 0
    if not isinstance(digits, int):
        return through_kernel(call, args)
    if isinstance(type_, (FloatType, DoubleType)):
        power = f"power(10D, {args[1] if len(args) > 1 else '0'})"
        exact = f"CAST({value} AS DOUBLE)" if not isinstance(type_, DoubleType) else value
        if isinstance(type_, FloatType):  # by its decimal digits, not by its binary value
            exact = f"CAST(CAST({value} AS STRING) AS DOUBLE)"
        scaled = f"({exact} * {power})"
        return as_type(template("(if({0} < 0, ceil({0}), floor({0})) / {1})")(call, [scaled, power]), call.output_type)
    digits_of_type = (type_.precision, type_.scale) if isinstance(type_, DecimalType) else (19, 0)
    if digits >= digits_of_type[1]:
        return as_type(value, call.output_type)
    if -digits >= digits_of_type[0] - digits_of_type[1]:
        return as_type(template("if({0} IS NULL, NULL, 0)")(call, [value]), call.output_type)
    function = template(f"if({{0}} < 0, ceil({{0}}, {digits}), floor({{0}}, {digits}))")
    decimal = value if isinstance(type_, DecimalType) else f"CAST({value} AS DECIMAL(20, 0))"
    return as_type(function(call, [decimal]), call.output_type)


def _random(call: CallExpression, args: Sequence[str]) -> str:
    return through_kernel(call, args) if args else "rand()"


def _absolute(call: CallExpression, args: Sequence[str]) -> str:
    if isinstance(call.output_type, DecimalType):
        return bind(args[0], lambda x: f"if({x} < 0, {negated(x, call.output_type)}, {x})")
    return as_type(f"abs({args[0]})", call.output_type)


def _random_integer(call: CallExpression, args: Sequence[str]) -> str:
    if len(args) > 1:
        return through_kernel(call, args)
    failure = quote_text("RAND_INTEGER takes a bound above 0.")
    return f"if({args[0]} <= 0, raise_error({failure}), CAST(floor(rand() * {args[0]}) AS INT))"


def _hex(call: CallExpression, args: Sequence[str]) -> str:
    if not isinstance(call.args[0].output_type, CharacterType):
        return f"hex(CAST({args[0]} AS BIGINT))"
    return guarded("HEX", call.args[0], args[0], 2, lambda text: f"2L * octet_length({text})", lambda text: f"hex({text})", "characters")


_inet_aton = template(
    "if({0} RLIKE '^[0-9]{{1,18}}([.][0-9]{{1,18}}){{0,3}}$' AND forall(split({0}, '[.]'), __part -> CAST(__part AS BIGINT) <= 255), "
    "aggregate(transform(split({0}, '[.]'), (__part, __place) -> if(__place = size(split({0}, '[.]')) - 1, CAST(__part AS BIGINT), "
    "shiftleft(CAST(__part AS BIGINT), 24 - 8 * __place))), 0L, (__sum, __number) -> __sum + __number), NULL)"
)
_inet_ntoa = template(
    "if({0} BETWEEN 0 AND 4294967295, concat_ws('.', {0} div 16777216, {0} div 65536 % 256, {0} div 256 % 256, {0} % 256), NULL)"
)

_negative_zero = "CAST({} AS STRING) = '-0.0'"
_half_turn = f"if({{1}} < 0 OR {_negative_zero.format('{1}')}, pi(), CAST(0 AS DOUBLE))"
# Spark's atan2 takes -0.0 for 0.0.
_atan2 = template(
    f"if({{0}} = 0 AND {{1}} IS NOT NULL AND NOT isnan({{1}}), {_half_turn} * if({_negative_zero.format('{0}')}, CAST(-1 AS DOUBLE), CAST(1 AS DOUBLE)), atan2({{0}}, {{1}}))"
)

FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.ABS: _absolute,
    fn.SIGN: typed(sql("sign")),
    fn.CEIL: _whole("ceil"),
    fn.FLOOR: _whole("floor"),
    fn.ROUND: _round,
    fn.TRUNCATE: _truncate,
    fn.POWER: sql("power"),
    fn.SQRT: sql("sqrt"),
    fn.EXP: sql("exp"),
    fn.EXPM1: sql("expm1"),
    fn.LN: _ln,
    fn.LOG: _log,
    fn.LOG10: _logarithm("log10"),
    fn.LOG2: _logarithm("log2"),
    fn.SIN: sql("sin"),
    fn.SINH: sql("sinh"),
    fn.COS: sql("cos"),
    fn.COSH: sql("cosh"),
    fn.TAN: sql("tan"),
    fn.TANH: sql("tanh"),
    fn.COT: sql("cot"),
    fn.ASIN: sql("asin"),
    fn.ACOS: sql("acos"),
    fn.ATAN: sql("atan"),
    fn.ATAN2: _atan2,
    fn.DEGREES: sql("degrees"),
    fn.RADIANS: sql("radians"),
    fn.PI: sql("pi"),
    fn.E: sql("e"),
    fn.RAND: _random,
    fn.RAND_INTEGER: _random_integer,
    fn.UUID: sql("uuid"),
    fn.BIN: template("bin({0})"),
    fn.HEX: _hex,
    fn.UNHEX: template("if(length({0}) % 2 = 1, if({0} RLIKE '^[0-9A-Fa-f]', concat(X'00', unhex(substring({0}, 2))), NULL), unhex({0}))"),
    fn.INET_ATON: _inet_aton,
    fn.INET_NTOA: _inet_ntoa,
}
