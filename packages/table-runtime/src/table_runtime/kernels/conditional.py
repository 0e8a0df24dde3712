"""CASE, COALESCE and other choices among arguments.

If a branch could fail, ``expressions.short_circuit`` evaluates CASE, IF, COALESCE and IFNULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conditional as fn
from table_common.types import LogicalType
from table_runtime.casts import cast
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.comparison import compare, equal
from table_runtime.kernels.kernel import Kernel, infallible, is_scalar, to_array


def _as_result(value: Any, source: LogicalType, call: CallExpression, context: EvaluationContext) -> Any:
    arrow_type = to_arrow_type(call.output_type)
    return value if value.type.equals(arrow_type) else cast(value, source, call.output_type, context)


def _case(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    conditions = args[:-1:2]
    results = [*range(1, len(args), 2), len(args) - 1]
    values = [_as_result(args[index], call.args[index].output_type, call, context) for index in results]
    if len(values) > 2 and _is_text(values[0].type):
        # Selecting indices and copying each text once is much cheaper than copying the texts at every WHEN.
        branch = _choose(conditions, [pa.scalar(number, pa.int32()) for number in range(len(values))])
        if is_scalar(branch):
            return values[branch.as_py()]
        if not all(map(is_scalar, values)):
            return pc.choose(branch, *values)
        return pc.take(pa.array([value.as_py() for value in values], values[0].type), branch)
    return _choose(conditions, values)


def _choose(conditions: Sequence[Any], values: Sequence[Any]) -> Any:
    """Returns the value of the first condition that is true, else the last value."""
    result = values[-1]
    for condition, value in reversed(list(zip(conditions, values, strict=False))):
        if is_scalar(condition):
            result = value if condition.as_py() else result
        else:
            result = pc.if_else(pc.fill_null(condition, False), value, result)
    return result


def _is_text(arrow_type: pa.DataType) -> bool:
    is_text: bool = pa.types.is_string(arrow_type) or pa.types.is_binary(arrow_type)
    return is_text


def _coalesce(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return pc.coalesce(*(_as_result(arg, node.output_type, call, context) for arg, node in zip(args, call.args, strict=True)))


def _nullif(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, other = args
    equals = pc.fill_null(equal(value, other), False)
    if is_scalar(equals):
        return pa.scalar(None, value.type) if equals.as_py() else value
    return pc.if_else(equals, pa.scalar(None, value.type), value)


def _extreme(better: Callable[[Any, Any], Any]) -> Kernel:
    """Returns the kernel of GREATEST or LEAST: NULL if any argument is NULL."""

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        best, *remaining = (_as_result(arg, node.output_type, call, context) for arg, node in zip(args, call.args, strict=True))
        for other in remaining:
            is_better = compare(better, other, best)
            if is_scalar(is_better):
                best, other, is_better = (to_array(value, num_rows) for value in (best, other, is_better))
            best = pc.if_else(is_better, other, best)
        return best

    return infallible(run)


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.CASE: infallible(_case),
    fn.IF: infallible(_case),
    fn.COALESCE: infallible(_coalesce),
    fn.IFNULL: infallible(_coalesce),
    fn.NULLIF: infallible(_nullif),
    fn.GREATEST: _extreme(pc.greater),
    fn.LEAST: _extreme(pc.less),
}
