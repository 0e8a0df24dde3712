"""The arithmetic operators. Integer overflow is an error; decimal overflow is NULL, or an error if the type is NOT NULL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_scalar, to_arrow_type
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic as fn
from table_common.types import (
    APPROXIMATE_NUMERICS,
    INTERVALS,
    DecimalType,
    LogicalType,
    NullType,
)
from table_runtime.casts import cast
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.failure_reasons import failure_of
from table_runtime.kernels import interval_arithmetic
from table_runtime.kernels.kernel import Kernel, KernelFunction
from table_runtime.kernels.support import decimal_arithmetic

_Binary = Callable[[Any, Any], Any]
_DecimalOperation = Callable[[Any, Any, DecimalType, int], Any]


def integer_error(operation: str, call: CallExpression, error: Exception) -> TableRuntimeException:
    """Returns the error for a failure of Arrow's checked kernels: division by zero or overflow."""
    if isinstance(error, ZeroDivisionError) or "zero" in str(error):
        return TableRuntimeException(f"Division by zero in {operation}.", hint="Guard it: CASE WHEN b <> 0 THEN a / b END.")
    return failure_of(operation, call.output_type, error, "Cast an argument to a wider type first.")


# Differs from Flink: integer overflow is an error; Flink wraps the result around.
def _numeric(operation: str, checked: _Binary, approximate: _Binary, decimal: _DecimalOperation) -> KernelFunction:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        left, right = args
        result_type = call.output_type
        if isinstance(result_type, NullType) or pa.types.is_null(left.type) or pa.types.is_null(right.type):
            return arrow_scalar(None, to_arrow_type(result_type))
        try:
            if isinstance(result_type, DecimalType):
                result = decimal(_as_decimal(left), _as_decimal(right), result_type, num_rows)
                _refuse_overflow(result, left, right, call)
                return result
            left, right = (_as(value, arg.output_type, call, context) for value, arg in zip(args, call.args, strict=True))
            return (approximate if isinstance(result_type, APPROXIMATE_NUMERICS) else checked)(left, right)
        except (pa.ArrowInvalid, ArithmeticError) as error:
            raise integer_error(operation, call, error) from error

    return run


def _as_decimal(value: Any) -> Any:
    return value if pa.types.is_decimal(value.type) else pc.cast(value, pa.decimal128(19, 0))


def _as(value: Any, source: LogicalType, call: CallExpression, context: EvaluationContext) -> Any:
    return value if value.type.equals(to_arrow_type(call.output_type)) else cast(value, source, call.output_type, context)


_SIGNS = {"PLUS": "+", "MINUS": "-", "TIMES": "*", "DIVIDE": "/"}


def _refuse_overflow(result: Any, left: Any, right: Any, call: CallExpression) -> None:
    if call.output_type.nullable:
        return
    if (not result.is_valid) if isinstance(result, pa.Scalar) else result.null_count:
        raise integer_error(_SIGNS.get(call.function.name, call.function.name), call, OverflowError("overflow"))


def _approximate_only(call: CallExpression) -> bool:
    return isinstance(call.output_type, APPROXIMATE_NUMERICS) or (isinstance(call.output_type, DecimalType) and call.output_type.nullable)


def _with_intervals(numeric: KernelFunction, temporal: KernelFunction) -> Kernel:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        has_interval = any(isinstance(arg.output_type, INTERVALS) for arg in call.args)
        return (temporal if has_interval else numeric)(args, call, context, num_rows)

    return Kernel(run, _approximate_only)


def _modulo(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    left, right = args
    if pa.types.is_null(left.type) or pa.types.is_null(right.type):
        return arrow_scalar(None, to_arrow_type(call.output_type))
    try:
        if pa.types.is_decimal(left.type) or pa.types.is_decimal(right.type):
            left, right = _as_decimal(left), _as_decimal(right)
            return decimal_arithmetic.remainder(left, right, 38, max(left.type.scale, right.type.scale), num_rows)
        common = left.type if left.type.bit_width >= right.type.bit_width else right.type
        left, right = pc.cast(left, common), pc.cast(right, common)
        # Only a division by -1 can overflow; its remainder is that of a division by 1.
        right = pc.if_else(pc.equal(right, -1), arrow_scalar(1, common), right)
        return pc.subtract(left, pc.multiply(pc.divide_checked(left, right), right))
    except (pa.ArrowInvalid, ArithmeticError) as error:
        raise integer_error("MOD", call, error) from error


def _negate(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    (value,) = args
    try:
        if pa.types.is_duration(value.type):
            return pc.cast(pc.negate_checked(pc.cast(value, pa.int64())), value.type)
        return pc.negate(value) if pa.types.is_floating(value.type) or pa.types.is_null(value.type) else pc.negate_checked(value)
    except pa.ArrowInvalid as error:
        raise integer_error("-", call, error) from error


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.PLUS: _with_intervals(_numeric("+", pc.add_checked, pc.add, decimal_arithmetic.add), interval_arithmetic.plus),
    fn.MINUS: _with_intervals(_numeric("-", pc.subtract_checked, pc.subtract, decimal_arithmetic.subtract), interval_arithmetic.minus),
    fn.TIMES: _with_intervals(_numeric("*", pc.multiply_checked, pc.multiply, decimal_arithmetic.multiply), interval_arithmetic.times),
    fn.DIVIDE: Kernel(
        _numeric("/", pc.divide_checked, pc.divide, decimal_arithmetic.divide),
        lambda call: isinstance(call.output_type, APPROXIMATE_NUMERICS),
    ),
    fn.MOD: Kernel(_modulo),
    fn.NEGATE: Kernel(_negate, _approximate_only),
    fn.MINUS_DATETIME: Kernel(interval_arithmetic.difference),
    fn.OVERLAPS: Kernel(interval_arithmetic.overlaps),
}
