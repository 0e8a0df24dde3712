"""VARIANT: JSON that is parsed once."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import variant as fn
from table_planner_spark.expressions.functions.translation import Translation, template

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.PARSE_JSON: template("parse_json({0})"),
    fn.TRY_PARSE_JSON: template("try_parse_json({0})"),
}
