"""Three-valued logic. If a later argument could fail, ``expressions.short_circuit`` evaluates AND and OR."""

from __future__ import annotations

from functools import reduce

from table_common.arrow import arrow_scalar
from table_common.arrow import compute as pc
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import logic as fn
from table_runtime.kernels.kernel import Kernel, compute, infallible

_TRUE, _FALSE = arrow_scalar(True), arrow_scalar(False)

TABLE: dict[FunctionDefinition, Kernel] = {
    fn.AND: infallible(lambda args, call, context, num_rows: reduce(pc.and_kleene, args)),
    fn.OR: infallible(lambda args, call, context, num_rows: reduce(pc.or_kleene, args)),
    fn.NOT: compute(pc.invert),
    fn.IS_TRUE: infallible(lambda args, call, context, num_rows: pc.fill_null(args[0], _FALSE)),
    fn.IS_FALSE: infallible(lambda args, call, context, num_rows: pc.invert(pc.fill_null(args[0], _TRUE))),
    fn.IS_NOT_TRUE: infallible(lambda args, call, context, num_rows: pc.invert(pc.fill_null(args[0], _FALSE))),
    fn.IS_NOT_FALSE: infallible(lambda args, call, context, num_rows: pc.fill_null(args[0], _TRUE)),
}
