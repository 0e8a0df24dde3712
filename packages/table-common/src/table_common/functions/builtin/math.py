"""Mathematical functions. Those that take DOUBLE have every number cast to it."""

from __future__ import annotations

from table_common.functions.builtin.declarations import (
    BIGINT,
    DATETIME_FAMILY,
    DOUBLE,
    INT,
    INTEGER_FAMILY,
    NUMERIC_FAMILY,
    STRING_FAMILY,
    nullable,
    returns,
    scalar,
    unit_of,
)
from table_common.inference.arithmetic import decimal_to_scale_zero, rounded
from table_common.inference.input_strategies import no_arguments, or_, sig
from table_common.inference.type_strategies import explicit, first_of, match_family, same_as
from table_common.types.logical import NUMERICS, BigIntType, CharType, DoubleType, IntType, VarBinaryType, VarCharType
from table_common.types.symbols import TimeUnit

_REAL = returns(DoubleType())
_TEXT = returns(VarCharType())
_ROUNDING_UNIT = unit_of(
    TimeUnit.MILLISECOND,
    TimeUnit.SECOND,
    TimeUnit.MINUTE,
    TimeUnit.HOUR,
    TimeUnit.DAY,
    TimeUnit.WEEK,
    TimeUnit.MONTH,
    TimeUnit.QUARTER,
    TimeUnit.YEAR,
    TimeUnit.DECADE,
    TimeUnit.CENTURY,
    TimeUnit.MILLENNIUM,
)
_TO_WHOLE = first_of(match_family(0, NUMERICS, decimal_to_scale_zero()), same_as(0))


ABS = scalar("ABS", sig(NUMERIC_FAMILY), same_as(0))
SIGN = scalar("SIGN", sig(NUMERIC_FAMILY), same_as(0))
CEIL = scalar(
    "CEIL",
    or_(sig(NUMERIC_FAMILY), sig(DATETIME_FAMILY, _ROUNDING_UNIT)),
    _TO_WHOLE,
    aliases=("CEILING",),
    renderer=lambda a: f"CEIL({' TO '.join(a)})",
)
FLOOR = scalar(
    "FLOOR",
    or_(sig(NUMERIC_FAMILY), sig(DATETIME_FAMILY, _ROUNDING_UNIT)),
    _TO_WHOLE,
    renderer=lambda a: f"FLOOR({' TO '.join(a)})",
)
ROUND = scalar("ROUND", sig(NUMERIC_FAMILY, optional=[INT]), rounded())
TRUNCATE = scalar("TRUNCATE", sig(NUMERIC_FAMILY, optional=[INT]), rounded())
POWER = scalar("POWER", sig(DOUBLE, DOUBLE), _REAL)
SQRT = scalar("SQRT", sig(DOUBLE), _REAL)
EXP = scalar("EXP", sig(DOUBLE), _REAL)
# Differs from Flink: EXPM1, e to the power of a number less one, exact also next to zero, is an addition.
EXPM1 = scalar("EXPM1", sig(DOUBLE), _REAL)
LN = scalar("LN", sig(DOUBLE), _REAL)
LOG = scalar("LOG", sig(DOUBLE, optional=[DOUBLE]), _REAL)
"""``LOG(x)`` is the natural logarithm, ``LOG(base, x)`` another."""
LOG10 = scalar("LOG10", sig(DOUBLE), _REAL)
LOG2 = scalar("LOG2", sig(DOUBLE), _REAL)
SIN = scalar("SIN", sig(DOUBLE), _REAL)
SINH = scalar("SINH", sig(DOUBLE), _REAL)
COS = scalar("COS", sig(DOUBLE), _REAL)
COSH = scalar("COSH", sig(DOUBLE), _REAL)
TAN = scalar("TAN", sig(DOUBLE), _REAL)
TANH = scalar("TANH", sig(DOUBLE), _REAL)
COT = scalar("COT", sig(DOUBLE), _REAL)
ASIN = scalar("ASIN", sig(DOUBLE), _REAL)
ACOS = scalar("ACOS", sig(DOUBLE), _REAL)
ATAN = scalar("ATAN", sig(DOUBLE), _REAL)
ATAN2 = scalar("ATAN2", sig(DOUBLE, DOUBLE), _REAL)
DEGREES = scalar("DEGREES", sig(DOUBLE), _REAL)
RADIANS = scalar("RADIANS", sig(DOUBLE), _REAL)
PI = scalar("PI", no_arguments(), explicit(DoubleType(nullable=False)))
E = scalar("E", no_arguments(), explicit(DoubleType(nullable=False)))
# Differs from Flink: RAND() = RAND() compares two numbers. Flink takes equal operands for one value, here also of functions that are not deterministic.
RAND = scalar("RAND", sig(optional=[INT]), _REAL, deterministic=False)
RAND_INTEGER = scalar("RAND_INTEGER", sig(INT, optional=[INT]), returns(IntType()), deterministic=False)
"""``RAND_INTEGER(bound)`` or ``RAND_INTEGER(seed, bound)``."""
UUID = scalar("UUID", no_arguments(), explicit(CharType(36, nullable=False)), deterministic=False)
BIN = scalar("BIN", sig(BIGINT), _TEXT)
HEX = scalar("HEX", or_(sig(INTEGER_FAMILY), sig(STRING_FAMILY)), _TEXT)
UNHEX = scalar("UNHEX", sig(STRING_FAMILY), nullable(VarBinaryType()))
INET_ATON = scalar("INET_ATON", sig(STRING_FAMILY), nullable(BigIntType()))
INET_NTOA = scalar("INET_NTOA", sig(BIGINT), nullable(VarCharType()))
