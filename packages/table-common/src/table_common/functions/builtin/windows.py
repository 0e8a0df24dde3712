"""Functions of a row's position in a window, and auxiliary functions of group windows (``GROUP BY TUMBLE(…)``)."""

from __future__ import annotations

from table_common.functions.aggregate_traits import AggregateTraits
from table_common.functions.builtin.declarations import ANY, INTEGER_FAMILY, INTERVAL_FAMILY, TIMESTAMP_FAMILY, aggregate
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionKind
from table_common.inference.argument_types import constant
from table_common.inference.input_strategies import no_arguments, sig
from table_common.inference.row_windows import (
    match_rowtime,
    neighbor,
    neighbor_arguments,
    pattern_value,
    window_bound,
    window_time_attribute,
)
from table_common.inference.type_inference import InputTypeStrategy, TypeStrategy
from table_common.inference.type_strategies import explicit
from table_common.types.logical import BigIntType, DoubleType, LocalZonedTimestampType, TimestampKind

_COUNT = explicit(BigIntType(nullable=False))
_SHARE = explicit(DoubleType(nullable=False))
_RANK = AggregateTraits(is_over_only=True, needs_order=True)
_NEIGHBOR = AggregateTraits(is_over_only=True, takes_null_treatment=True)

ROW_NUMBER = aggregate("ROW_NUMBER", no_arguments(), _COUNT, traits=_RANK)
RANK = aggregate("RANK", no_arguments(), _COUNT, traits=_RANK)
DENSE_RANK = aggregate("DENSE_RANK", no_arguments(), _COUNT, traits=_RANK)
NTILE = aggregate("NTILE", sig(INTEGER_FAMILY), _COUNT, traits=AggregateTraits(is_over_only=True))
PERCENT_RANK = aggregate("PERCENT_RANK", no_arguments(), _SHARE, traits=_RANK)
CUME_DIST = aggregate("CUME_DIST", no_arguments(), _SHARE, traits=_RANK)
LAG = aggregate("LAG", neighbor_arguments(), neighbor(), traits=_NEIGHBOR)
LEAD = aggregate("LEAD", neighbor_arguments(), neighbor(), traits=_NEIGHBOR)


def _group_window(name: str, arguments: InputTypeStrategy, result: TypeStrategy) -> BuiltInFunctionDefinition:
    return aggregate(name, arguments, result, kind=FunctionKind.OTHER)


def _time_attribute(name: str, arguments: InputTypeStrategy, result: TypeStrategy) -> BuiltInFunctionDefinition:
    return aggregate(name, arguments, result, kind=FunctionKind.OTHER, gives_time_attribute=True)


_ONE = sig(TIMESTAMP_FAMILY, constant(INTERVAL_FAMILY))
_TWO = sig(TIMESTAMP_FAMILY, constant(INTERVAL_FAMILY), constant(INTERVAL_FAMILY))
_PROCTIME = explicit(LocalZonedTimestampType(3, nullable=False, kind=TimestampKind.PROCTIME))

TUMBLE = _group_window("TUMBLE", _ONE, window_bound())
TUMBLE_START = _group_window("TUMBLE_START", _ONE, window_bound())
TUMBLE_END = _group_window("TUMBLE_END", _ONE, window_bound())
TUMBLE_ROWTIME = _time_attribute("TUMBLE_ROWTIME", _ONE, window_time_attribute())
TUMBLE_PROCTIME = _time_attribute("TUMBLE_PROCTIME", _ONE, _PROCTIME)
HOP = _group_window("HOP", _TWO, window_bound())
HOP_START = _group_window("HOP_START", _TWO, window_bound())
HOP_END = _group_window("HOP_END", _TWO, window_bound())
HOP_ROWTIME = _time_attribute("HOP_ROWTIME", _TWO, window_time_attribute())
HOP_PROCTIME = _time_attribute("HOP_PROCTIME", _TWO, _PROCTIME)
SESSION = _group_window("SESSION", _ONE, window_bound())
SESSION_START = _group_window("SESSION_START", _ONE, window_bound())
SESSION_END = _group_window("SESSION_END", _ONE, window_bound())
SESSION_ROWTIME = _time_attribute("SESSION_ROWTIME", _ONE, window_time_attribute())
SESSION_PROCTIME = _time_attribute("SESSION_PROCTIME", _ONE, _PROCTIME)

FIRST = aggregate("FIRST", sig(ANY, optional=[INTEGER_FAMILY]), pattern_value(), kind=FunctionKind.OTHER)
LAST = aggregate("LAST", sig(ANY, optional=[INTEGER_FAMILY]), pattern_value(), kind=FunctionKind.OTHER)
"""``FIRST``, ``LAST``, ``PREV`` and ``NEXT`` exist inside MATCH_RECOGNIZE only; NULL if there is no such row."""
PREV = aggregate("PREV", sig(ANY, optional=[INTEGER_FAMILY]), pattern_value(), kind=FunctionKind.OTHER)
NEXT = aggregate("NEXT", sig(ANY, optional=[INTEGER_FAMILY]), pattern_value(), kind=FunctionKind.OTHER)
MATCH_ROWTIME = _time_attribute("MATCH_ROWTIME", sig(optional=[ANY]), match_rowtime())
MATCH_PROCTIME = _time_attribute("MATCH_PROCTIME", no_arguments(), _PROCTIME)
