"""The error of a sum that does not fit its type: Spark raises it in the words of the embedded engine."""

from __future__ import annotations

from table_api.operations import AggregateCall
from table_common.types import BigIntType, DecimalType
from table_planner_spark.expressions.functions.translation import AggregateArguments
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.worker_errors import BEFORE_HINT


def sum_overflow(call: AggregateCall, given: AggregateArguments) -> str:
    """Returns the expression that raises the error of a sum, with its type, the call and its rows."""
    message = f"{call.function.name} overflows {call.output_type.summary()}"
    parts = [quote_text(f"{message}: "), given.place] if given.place else [quote_text(message)]
    if isinstance(call.output_type, DecimalType):
        hint = ""
    else:
        wider = "DECIMAL(38, 0)" if isinstance(call.output_type, BigIntType) else "BIGINT"
        hint = f"{BEFORE_HINT}Sum CAST(… AS {wider}) instead."
    return f"raise_error(concat({', '.join([*parts, quote_text(f'.{hint}')])}))"
