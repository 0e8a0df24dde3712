"""CAST, TRY_CAST and TYPEOF."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conversion as fn
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.translation import Translation, literal_of
from table_planner_spark.expressions.names import quote_text

__all__ = ["FUNCTIONS"]


def _cast(lenient: bool) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        return to_spark_cast(args[0], call.args[0].output_type, call.output_type, lenient=lenient)

    return translate


def _type_of(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.args[0].output_type
    return quote_text(type_.serializable() if literal_of(call, 1) else str(type_))


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.CAST: _cast(False),
    fn.TRY_CAST: _cast(True),
    fn.TYPEOF: _type_of,
}
