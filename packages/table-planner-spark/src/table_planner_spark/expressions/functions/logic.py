"""Boolean operators. Spark's three-valued logic equals Flink's."""

from __future__ import annotations

from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import logic as fn
from table_planner_spark.expressions.functions.translation import Translation, template


def _chain(word: str) -> Translation:
    def translate(call: CallExpression, args: object) -> str:
        assert isinstance(args, (list, tuple))
        return f"({f' {word} '.join(args)})"

    return translate


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.AND: _chain("AND"),
    fn.OR: _chain("OR"),
    fn.NOT: template("(NOT {0})"),
    fn.IS_TRUE: template("({0} IS TRUE)"),
    fn.IS_FALSE: template("({0} IS FALSE)"),
    fn.IS_NOT_TRUE: template("({0} IS NOT TRUE)"),
    fn.IS_NOT_FALSE: template("({0} IS NOT FALSE)"),
}
