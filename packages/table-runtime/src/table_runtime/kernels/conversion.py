"""Kernels of CAST and related conversions, TYPEOF, and functions of the session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conversion as fn
from table_runtime.casts import can_fail, cast
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, infallible


def _cast(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return cast(args[0], call.args[0].output_type, call.output_type, context)


def _is_infallible_cast(call: CallExpression) -> bool:
    return not can_fail(call.args[0].output_type, call.output_type)


def _try_cast(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return cast(args[0], call.args[0].output_type, call.args[1].output_type, context, null_on_failure=True)


def _type_of(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    serializable = len(call.args) > 1 and isinstance(call.args[1], ValueLiteralExpression) and call.args[1].value is True
    logical_type = call.args[0].output_type
    return pa.scalar(logical_type.serializable() if serializable else str(logical_type))


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.CAST: Kernel(_cast, _is_infallible_cast),
    fn.TRY_CAST: infallible(_try_cast),
    fn.TYPEOF: infallible(_type_of),
}
