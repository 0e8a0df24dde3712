"""The arithmetic operators, on numbers and on dates and times with intervals."""

from __future__ import annotations

from table_common.functions.builtin.declarations import (
    DATETIME_FAMILY,
    INTERVAL_FAMILY,
    NUMERIC_FAMILY,
    infix,
    operator,
    prefix,
    returns,
    scalar,
    unit_of,
)
from table_common.inference.argument_types import family
from table_common.inference.arithmetic import (
    datetime_difference,
    division,
    modulo,
    multiplication,
    numbers,
    plus_interval,
    sum_of_numbers,
    two_intervals,
)
from table_common.inference.input_strategies import or_, sig
from table_common.inference.type_strategies import first_of, match_family, nullable_if_args, same_as
from table_common.types.logical import (
    EXACT_INTEGERS,
    INTERVALS,
    NUMERICS,
    TIMESTAMPS,
    BooleanType,
    DateType,
    DecimalType,
    IntType,
    TimeType,
)
from table_common.types.symbols import TimeUnit

_DATETIMES = (DateType, TimeType, *TIMESTAMPS)
_EXACT = family("EXACT NUMERIC", *EXACT_INTEGERS, DecimalType, default=IntType())

PLUS = operator(
    "PLUS",
    or_(numbers(), sig(DATETIME_FAMILY, INTERVAL_FAMILY), sig(INTERVAL_FAMILY, DATETIME_FAMILY), two_intervals()),
    first_of(
        match_family(0, NUMERICS, sum_of_numbers()),
        match_family(0, _DATETIMES, plus_interval(0, 1)),
        match_family(1, _DATETIMES, plus_interval(1, 0)),
        nullable_if_args(same_as(0)),
    ),
    infix("+"),
)
MINUS = operator(
    "MINUS",
    or_(numbers(), sig(DATETIME_FAMILY, INTERVAL_FAMILY), two_intervals()),
    first_of(
        match_family(0, NUMERICS, sum_of_numbers()),
        match_family(0, _DATETIMES, plus_interval(0, 1)),
        nullable_if_args(same_as(0)),
    ),
    infix("-"),
)
MINUS_DATETIME = operator(
    "MINUS_DATETIME",
    sig(
        DATETIME_FAMILY,
        DATETIME_FAMILY,
        unit_of(
            TimeUnit.YEAR, TimeUnit.QUARTER, TimeUnit.MONTH, TimeUnit.WEEK, TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND
        ),
    ),
    datetime_difference(),
    lambda a: f"(({a[0]} - {a[1]}) {a[2]})",
)
"""``(later - earlier) DAY``: the arguments are the two points in time and the unit."""
TIMES = operator(
    "TIMES",
    or_(numbers(), sig(INTERVAL_FAMILY, NUMERIC_FAMILY), sig(NUMERIC_FAMILY, INTERVAL_FAMILY)),
    first_of(
        match_family(0, INTERVALS, nullable_if_args(same_as(0))),
        match_family(1, INTERVALS, nullable_if_args(same_as(1))),
        multiplication(),
    ),
    infix("*"),
)
DIVIDE = operator("DIVIDE", numbers(), division(), infix("/"))
MOD = scalar("MOD", sig(_EXACT, _EXACT), modulo())
"""``MOD(a, b)``, also written ``a % b``."""
NEGATE = operator("NEGATE", or_(sig(NUMERIC_FAMILY), sig(INTERVAL_FAMILY)), same_as(0), prefix("-"))
OVERLAPS = operator(
    "OVERLAPS",
    or_(
        sig(DATETIME_FAMILY, DATETIME_FAMILY, DATETIME_FAMILY, DATETIME_FAMILY),
        sig(DATETIME_FAMILY, INTERVAL_FAMILY, DATETIME_FAMILY, INTERVAL_FAMILY),
        sig(DATETIME_FAMILY, DATETIME_FAMILY, DATETIME_FAMILY, INTERVAL_FAMILY),
        sig(DATETIME_FAMILY, INTERVAL_FAMILY, DATETIME_FAMILY, DATETIME_FAMILY),
    ),
    returns(BooleanType()),
    lambda a: f"(({a[0]}, {a[1]}) OVERLAPS ({a[2]}, {a[3]}))",
)
