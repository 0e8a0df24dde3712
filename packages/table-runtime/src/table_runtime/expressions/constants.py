"""Constant folding: evaluates expressions without columns while a query is planned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableError
from table_common.expressions import ResolvedExpression, ValueLiteralExpression
from table_common.types import (
    NUMERICS,
    TIMESTAMPS,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    LogicalType,
    RowType,
    TimeType,
    YearMonthIntervalType,
)
from table_runtime.columns.value_size import limited_values
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions.evaluator import Evaluator
from table_runtime.expressions.literal import NANOS_PER_UNIT

_LITERALS: tuple[type[LogicalType], ...] = (
    BooleanType,
    *NUMERICS,
    CharacterType,
    BinaryStringType,
    DateType,
    TimeType,
    *TIMESTAMPS,
    DayTimeIntervalType,
    YearMonthIntervalType,
)

MAX_FOLDED_SIZE = 1 << 20
"""Bytes of the largest value that is computed while a query is planned; the job computes larger ones, within its memory."""
_EPOCH = date(1970, 1, 1)
_FIRST_DAY, _LAST_DAY = (date.min - _EPOCH).days, (date.max - _EPOCH).days


def has_literals(type_: LogicalType) -> bool:
    """Returns whether values of the type can be literals."""
    return isinstance(type_, _LITERALS)


def constant_value(expression: ResolvedExpression, context: EvaluationContext) -> ValueLiteralExpression | None:
    """Returns the value of a constant expression as a literal of the same type.

    None if the value has no literal (an array, a NaN, a date outside of the years 1 to 9999), if it or a value on the way has more than
    ``MAX_FOLDED_SIZE`` bytes, or if its evaluation fails; then it fails at run time, for the first row that evaluates it.
    """
    type_ = expression.output_type
    if not has_literals(type_):
        return None
    try:
        with limited_values(MAX_FOLDED_SIZE):
            (value,) = Evaluator([expression], context).evaluate(pa.record_batch({"row": pa.nulls(1)}))
    except (TableError, MemoryError, pa.ArrowException):
        return None
    if isinstance(type_, (DateType, *TIMESTAMPS)) and not _is_day_of_literals(value):
        return None
    literal = _literal_form(value)
    if isinstance(literal, float) and not math.isfinite(literal):
        return None
    return ValueLiteralExpression(literal, type_)


def matching_rows(
    condition: ResolvedExpression, row_type: RowType, rows: Sequence[Sequence[Any]], context: EvaluationContext
) -> list[bool] | None:
    """Returns for each row whether a condition is TRUE; None if its evaluation fails for a row."""
    columns = [
        pa.array(values, type=to_arrow_type(type_)) for values, type_ in zip(zip(*rows, strict=True), row_type.field_types, strict=True)
    ]
    try:
        mask = Evaluator([condition], context).evaluate_filter(pa.RecordBatch.from_arrays(columns, names=list(row_type.field_names)))
    except TableError:
        return None
    matches: list[bool] = mask.to_pylist()
    return matches


def _is_day_of_literals(array: pa.Array) -> bool:
    """Returns whether the only value is NULL or in the years 1 to 9999, the range of literals."""
    day = pc.cast(pc.cast(array, pa.date32(), safe=False), pa.int32())[0].as_py()
    return day is None or _FIRST_DAY <= day <= _LAST_DAY


def _literal_form(array: pa.Array) -> Any:
    """Returns the only value in the form that ``ValueLiteralExpression`` documents."""
    arrow_type = array.type
    if isinstance(arrow_type, pa.BaseExtensionType):
        return _literal_form(array.storage)
    if array.null_count:
        return None
    if pa.types.is_timestamp(arrow_type) or pa.types.is_time64(arrow_type) or pa.types.is_duration(arrow_type):
        return pc.cast(array, pa.int64())[0].as_py() * NANOS_PER_UNIT[arrow_type.unit]
    value = array[0].as_py()
    return value if isinstance(value, (bool, int, float, str, bytes, Decimal)) or pa.types.is_date(arrow_type) else None
