"""Comparisons.

Floating point numbers compare according to IEEE 754: NaN equals nothing, -0.0 equals 0.0. CHAR is compared including its padding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison as fn
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, KernelFunction, infallible, to_array

_Comparison = Callable[[Any, Any], Any]
_NULL = arrow_scalar(None, pa.bool_())


def compare(function: _Comparison, left: Any, right: Any) -> Any:
    """Applies a comparison of pyarrow.compute; decimals are converted to a common scale, nested values are compared in Python."""
    if pa.types.is_null(left.type) or pa.types.is_null(right.type):
        return _NULL
    if pa.types.is_nested(left.type):
        return _compare_nested(function, left, right)
    if pa.types.is_decimal(left.type) and pa.types.is_decimal(right.type) and not left.type.equals(right.type):
        common = _common_decimal(left.type, right.type)
        left, right = pc.cast(left, common), pc.cast(right, common)
    return function(left, right)


def _common_decimal(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Returns the narrowest type with room for all decimals of two types; a column that already has it is not converted."""
    scale = max(left.scale, right.scale)
    digits = scale + max(left.precision - left.scale, right.precision - right.scale)
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(76, scale)


def _compare_nested(function: _Comparison, left: Any, right: Any) -> Any:
    """Compares arrays, maps and rows for equality.

    Inside of them NULL equals NULL and NaN equals NaN; the order of map entries is ignored.
    """
    num_rows = max((len(value) for value in (left, right) if not isinstance(value, pa.Scalar)), default=1)
    from table_runtime.columns.plain_types import to_plain  # few values are nested

    left, right = to_plain(left), to_plain(right)
    results: list[bool | None] = []
    from table_runtime.kernels.support.equality import equality_key  # few values are nested

    for first, second in zip(to_array(left, num_rows).to_pylist(), to_array(right, num_rows).to_pylist(), strict=True):
        if first is None or second is None:
            results.append(None)
        else:
            # Differs from Flink: NaN equals NaN in a MAP, as in an ARRAY and a ROW; in Flink such maps are different.
            results.append(first == second or equality_key(first) == equality_key(second))
    is_constant = isinstance(left, pa.Scalar) and isinstance(right, pa.Scalar)
    equals = arrow_array(results, pa.bool_())[0] if is_constant else arrow_array(results, pa.bool_())
    return pc.invert(equals) if function is pc.not_equal else equals


def equal(left: Any, right: Any) -> Any:
    """Returns ``left = right``."""
    return compare(pc.equal, left, right)


def _comparison(function: _Comparison) -> Kernel:
    return infallible(lambda args, call, context, num_rows: compare(function, args[0], args[1]))


def _is_distinct(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    left, right = args
    left_null, right_null = pc.is_null(left), pc.is_null(right)
    differ = pc.fill_null(compare(pc.not_equal, left, right), False)
    return pc.or_(differ, pc.xor(left_null, right_null))


def _is_not_distinct(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return pc.invert(_is_distinct(args, call, context, num_rows))


def _between(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, low, high = args
    return pc.and_kleene(compare(pc.greater_equal, value, low), compare(pc.less_equal, value, high))


def _in(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, items = args[0], args[1:]
    if pa.types.is_null(value.type):
        return _NULL
    result: Any = None
    constants = [item for item in items if isinstance(item, pa.Scalar) and item.type.equals(value.type)]
    if len(constants) > 1 and not pa.types.is_nested(value.type) and not isinstance(value, pa.Scalar):
        result = _in_constants(value, constants)
        in_set = set(map(id, constants))
        items = [item for item in items if id(item) not in in_set]
    for item in items:
        is_equal = equal(value, item)
        result = is_equal if result is None else pc.or_kleene(result, is_equal)
    return result


def _in_constants(value: Any, constants: Sequence[Any]) -> Any:
    valid_constants = [constant for constant in constants if constant.is_valid]
    has_null = len(valid_constants) < len(constants)
    value_set = _array_of(valid_constants, value.type)
    values = value
    if pa.types.is_floating(value.type):
        # The hash table of is_in distinguishes -0.0 from 0.0, and NaN equals NaN in it.
        value_set = pc.add(pc.filter(value_set, pc.invert(pc.is_nan(value_set))), arrow_scalar(0.0, value.type))
        values = pc.add(value, arrow_scalar(0.0, value.type))
    is_member = pc.is_in(values, value_set=value_set)
    unknown = pc.is_null(value)
    if has_null:
        unknown = pc.or_(unknown, pc.invert(is_member))
    return pc.if_else(unknown, _NULL, is_member)


def _array_of(constants: Sequence[Any], type_: pa.DataType) -> Any:
    if pa.types.is_integer(type_) or pa.types.is_string(type_):
        return arrow_array([constant.as_py() for constant in constants], type_)
    return pa.concat_arrays([pa.repeat(constant, 1) for constant in constants]) if constants else arrow_array([], type_)


def _negated(function: KernelFunction) -> Kernel:
    return infallible(lambda args, call, context, num_rows: pc.invert(function(args, call, context, num_rows)))


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.EQUALS: _comparison(pc.equal),
    fn.NOT_EQUALS: _comparison(pc.not_equal),
    fn.LESS_THAN: _comparison(pc.less),
    fn.LESS_THAN_OR_EQUAL: _comparison(pc.less_equal),
    fn.GREATER_THAN: _comparison(pc.greater),
    fn.GREATER_THAN_OR_EQUAL: _comparison(pc.greater_equal),
    fn.IS_DISTINCT_FROM: infallible(_is_distinct),
    fn.IS_NOT_DISTINCT_FROM: infallible(_is_not_distinct),
    fn.IS_NULL: infallible(lambda args, call, context, num_rows: pc.is_null(args[0])),
    fn.IS_NOT_NULL: infallible(lambda args, call, context, num_rows: pc.is_valid(args[0])),
    fn.BETWEEN: infallible(_between),
    fn.NOT_BETWEEN: _negated(_between),
    fn.IN: infallible(_in),
    fn.NOT_IN: _negated(_in),
}
