"""Aggregate functions. Without GROUP BY their result may be NULL, because there may be no rows; COUNT returns 0."""

from __future__ import annotations

from table_common.functions.aggregate_traits import AggregateTraits, DistinctEffect, OverNothing
from table_common.functions.builtin.declarations import (
    ANY,
    DOUBLE,
    INTEGER_FAMILY,
    NUMERIC_FAMILY,
    STRING_FAMILY,
    aggregate,
)
from table_common.functions.monotonicity import Monotonicity
from table_common.inference.argument_types import constant, explicit_argument
from table_common.inference.arithmetic import average, total
from table_common.inference.collected import array_of_argument, check_shares, multiset_of_argument, percentile
from table_common.inference.comparable import orderable_argument
from table_common.inference.input_strategies import no_arguments, or_, sig, varargs
from table_common.inference.type_strategies import explicit, force_not_null, force_nullable, nullable_if_global, same_as
from table_common.types.logical import INTERVALS, ArrayType, BigIntType, DoubleType, VarCharType

_COUNT = explicit(BigIntType(nullable=False))
_ORDERABLE = orderable_argument(*INTERVALS)
_OWN = nullable_if_global(same_as(0))
_SPREAD = nullable_if_global(average())
# Differs from Flink: the sample spread of one value is NULL; Flink types it NOT NULL for NOT NULL columns, and returns -1.
_SPREAD_OF_SAMPLE = force_nullable(average())

_OF_SUMS = AggregateTraits(OverNothing.NULL, family="sums")
_OF_VARIANCE = AggregateTraits(OverNothing.NULL, family="variance")
_OF_COVARIANCE = AggregateTraits(OverNothing.NULL, family="covariance")
_OF_JSON = AggregateTraits(depends_on_order=True, family="json")
_FIRST_OR_LAST = AggregateTraits(
    OverNothing.NULL, depends_on_order=True, distinct=DistinctEffect.NONE, takes_null_treatment=True, family="first_last"
)
_OF_GROUPING_SETS = AggregateTraits(is_of_grouping_sets=True)


def _extreme(monotonicity: Monotonicity) -> AggregateTraits:
    return AggregateTraits(OverNothing.NULL, distinct=DistinctEffect.NONE, monotonicity=monotonicity, is_extreme=True, family="extremes")


COUNT = aggregate(
    "COUNT",
    varargs(repeated=ANY),
    _COUNT,
    renderer=lambda a: f"COUNT({', '.join(a) or '*'})",
    traits=AggregateTraits(OverNothing.ZERO, monotonicity=Monotonicity.INCREASING, family="counting"),
)
"""Without arguments ``COUNT(*)``; with several it counts the rows in which none is NULL."""
APPROX_COUNT_DISTINCT = aggregate(
    "APPROX_COUNT_DISTINCT", sig(ANY), _COUNT, traits=AggregateTraits(OverNothing.ZERO, distinct=DistinctEffect.ALWAYS, family="counting")
)
SUM = aggregate("SUM", sig(NUMERIC_FAMILY), nullable_if_global(total()), traits=_OF_SUMS)
SUM0 = aggregate("SUM0", sig(NUMERIC_FAMILY), force_not_null(total()), aliases=("$SUM0",), traits=AggregateTraits(family="sums"))
"""SUM that returns 0 instead of NULL."""
AVG = aggregate("AVG", sig(NUMERIC_FAMILY), _SPREAD, traits=_OF_SUMS)
MIN = aggregate("MIN", sig(_ORDERABLE), _OWN, traits=_extreme(Monotonicity.DECREASING))
MAX = aggregate("MAX", sig(_ORDERABLE), _OWN, traits=_extreme(Monotonicity.INCREASING))
STDDEV_POP = aggregate("STDDEV_POP", sig(NUMERIC_FAMILY), _SPREAD, traits=_OF_VARIANCE)
STDDEV_SAMP = aggregate("STDDEV_SAMP", sig(NUMERIC_FAMILY), _SPREAD_OF_SAMPLE, aliases=("STDDEV",), traits=_OF_VARIANCE)
VAR_POP = aggregate("VAR_POP", sig(NUMERIC_FAMILY), _SPREAD, traits=_OF_VARIANCE)
VAR_SAMP = aggregate("VAR_SAMP", sig(NUMERIC_FAMILY), _SPREAD_OF_SAMPLE, aliases=("VARIANCE",), traits=_OF_VARIANCE)
# Differs from Flink: COVAR_POP and COVAR_SAMP are built in; Flink has them in the module hive alone.
COVAR_POP = aggregate("COVAR_POP", sig(DOUBLE, DOUBLE), force_nullable(explicit(DoubleType())), traits=_OF_COVARIANCE)
COVAR_SAMP = aggregate("COVAR_SAMP", sig(DOUBLE, DOUBLE), force_nullable(explicit(DoubleType())), traits=_OF_COVARIANCE)
FIRST_VALUE = aggregate("FIRST_VALUE", sig(ANY), _OWN, traits=_FIRST_OR_LAST)
LAST_VALUE = aggregate("LAST_VALUE", sig(ANY), _OWN, traits=_FIRST_OR_LAST)
SINGLE_VALUE = aggregate("SINGLE_VALUE", sig(ANY), _OWN, traits=AggregateTraits(OverNothing.NULL, family="first_last"))
"""The only row's value; more than one row is an error. Scalar subqueries are planned with it."""
# Differs from Flink: LISTAGG over no rows is NULL; Flink types it NOT NULL for columns that are, and fails.
LISTAGG = aggregate(
    "LISTAGG",
    sig(STRING_FAMILY, optional=[constant(STRING_FAMILY)]),
    _OWN,
    traits=AggregateTraits(OverNothing.NULL, depends_on_order=True, has_parameters=True, family="collect"),
)
COLLECT = aggregate("COLLECT", sig(ANY), multiset_of_argument(), traits=AggregateTraits(family="collect"))
ARRAY_AGG = aggregate(
    "ARRAY_AGG", sig(ANY), array_of_argument(), traits=AggregateTraits(OverNothing.NULL, depends_on_order=True, family="collect")
)
PERCENTILE = aggregate(
    "PERCENTILE",
    or_(
        sig(NUMERIC_FAMILY, DOUBLE, optional=[INTEGER_FAMILY]),
        sig(NUMERIC_FAMILY, explicit_argument(ArrayType(DoubleType())), optional=[INTEGER_FAMILY]),
    ),
    percentile(),
    traits=AggregateTraits(OverNothing.NULL, has_parameters=True, family="collect", check=check_shares),
)
JSON_OBJECTAGG_NULL_ON_NULL = aggregate(
    "JSON_OBJECTAGG_NULL_ON_NULL",
    sig(STRING_FAMILY, ANY),
    explicit(VarCharType(2000, nullable=False)),
    renderer=lambda a: f"JSON_OBJECTAGG(KEY {a[0]} VALUE {a[1]} NULL ON NULL)",
    traits=_OF_JSON,
)
JSON_OBJECTAGG_ABSENT_ON_NULL = aggregate(
    "JSON_OBJECTAGG_ABSENT_ON_NULL",
    sig(STRING_FAMILY, ANY),
    explicit(VarCharType(2000, nullable=False)),
    renderer=lambda a: f"JSON_OBJECTAGG(KEY {a[0]} VALUE {a[1]} ABSENT ON NULL)",
    traits=_OF_JSON,
)
JSON_ARRAYAGG_NULL_ON_NULL = aggregate(
    "JSON_ARRAYAGG_NULL_ON_NULL",
    sig(ANY),
    explicit(VarCharType(2000, nullable=False)),
    renderer=lambda a: f"JSON_ARRAYAGG({a[0]} NULL ON NULL)",
    traits=_OF_JSON,
)
JSON_ARRAYAGG_ABSENT_ON_NULL = aggregate(
    "JSON_ARRAYAGG_ABSENT_ON_NULL",
    sig(ANY),
    explicit(VarCharType(2000, nullable=False)),
    renderer=lambda a: f"JSON_ARRAYAGG({a[0]} ABSENT ON NULL)",
    traits=_OF_JSON,
)
GROUPING = aggregate("GROUPING", varargs(repeated=ANY, at_least=1), _COUNT, traits=_OF_GROUPING_SETS)
GROUPING_ID = aggregate("GROUPING_ID", varargs(repeated=ANY, at_least=1), _COUNT, traits=_OF_GROUPING_SETS)
GROUP_ID = aggregate("GROUP_ID", no_arguments(), _COUNT, traits=_OF_GROUPING_SETS)
