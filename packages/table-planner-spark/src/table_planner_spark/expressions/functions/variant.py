"""VARIANT functions: JSON that is parsed once."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import json
from table_common.functions.builtin import variant as fn
from table_common.types import VarCharType
from table_planner_spark.expressions.functions.translation import Translation, literal_of
from table_planner_spark.expressions.worker_kernels import evaluate_in_worker


def _parse(name: str) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        if len(args) == 1 or literal_of(call, 1) is False:
            return _plain(name, args[0])
        # Whether a key may occur twice is an option of the whole Spark session, so a worker evaluates this call.
        document = CallExpression(call.function, _references(call), call.output_type)
        text = evaluate_in_worker(CallExpression(json.JSON_STRING, (document,), VarCharType(nullable=call.output_type.nullable)), args)
        return f"parse_json({text})"

    return translate


def _plain(name: str, text: str) -> str:
    # Spark ignores text after a JSON value, except inside brackets.
    failure = "NULL" if name.startswith("try") else "raise_error('PARSE_JSON takes the text of one JSON value.')"
    value = "if(__text IS NULL, NULL, if(__text RLIKE '\\\\S' AND {rest} IS NULL, {first}, {failure}))".format(
        rest="try_variant_get(__doc, '$[1]', 'variant')", first="try_variant_get(__doc, '$[0]', 'variant')", failure=failure
    )
    inner = f"element_at(transform(array({name}(concat('[', __text, ']'))), __doc -> {value}), 1)"
    return f"element_at(transform(array({text}), __text -> {inner}), 1)"


def _references(call: CallExpression) -> tuple[ResolvedExpression, ...]:
    return tuple(FieldReferenceExpression(f"f{index}", argument.output_type, 0, index) for index, argument in enumerate(call.args))


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.PARSE_JSON: _parse("parse_json"),
    fn.TRY_PARSE_JSON: _parse("try_parse_json"),
}
