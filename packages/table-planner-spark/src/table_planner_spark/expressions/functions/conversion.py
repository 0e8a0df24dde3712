"""CAST, TRY_CAST and TYPEOF."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conversion as fn
from table_common.types import (
    ArrayType,
    BitmapType,
    CharacterType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    types_in,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.translation import Translation, literal_of
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.expressions.worker_kernels import through_kernel


def _cast(call: CallExpression, args: Sequence[str]) -> str:
    if _needs_kernel(call):
        return through_kernel(call, args)
    return to_spark_cast(args[0], call.args[0].output_type, call.output_type)


def _try_cast(call: CallExpression, args: Sequence[str]) -> str:
    if _needs_kernel(call):
        return through_kernel(call, args)
    source, target = call.args[0].output_type, call.output_type
    text = to_spark_cast(args[0], source, target, lenient=True)
    if not isinstance(target, _NESTED) or current_scope().legacy_casts or text == to_spark_cast(args[0], source, target):
        return text
    return through_kernel(call, args)  # An element that cannot be cast makes the whole value NULL, which Spark SQL cannot express.


def _needs_kernel(call: CallExpression) -> bool:
    return isinstance(call.output_type, (CharacterType, *_NESTED)) and _has_bitmap(call.args[0].output_type)


_NESTED = (ArrayType, MapType, MultisetType, RowType, StructuredType)


def _has_bitmap(type_: LogicalType) -> bool:
    """Returns whether a value of the type is or contains a BITMAP, whose text Spark SQL cannot make."""
    return any(isinstance(part, BitmapType) for part in types_in(type_))


def _type_of(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.args[0].output_type
    return quote_text(type_.serializable() if literal_of(call, 1) else str(type_))


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.CAST: _cast,
    fn.TRY_CAST: _try_cast,
    fn.TYPEOF: _type_of,
}
