"""LIKE and SIMILAR TO as Java regular expressions. Patterns that may make Java backtrack without end run in Python workers."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.java_patterns import is_costly_java_pattern
from table_common.patterns import PatternError, like_regex, similar_regex
from table_planner_spark.expressions.functions.translation import Translation, literal_of
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.expressions.worker_kernels import through_kernel

_BEGIN, _END = r"(?s)\A", r"\z"
_QUOTE, _UNQUOTE = r"\Q", r"\E"


def like(call: CallExpression, args: Sequence[str]) -> str:
    pattern, escape = literal_of(call, 1), literal_of(call, 2)
    if len(args) > 2 and not (isinstance(pattern, str) and isinstance(escape, str)):
        return through_kernel(call, args)
    if not isinstance(pattern, str):
        return f"({args[0]} RLIKE {_like_regex_of(args[1])})"
    if len(args) == 2 and "\\" not in pattern and re.fullmatch(r"%?[^%_]*%?", pattern):
        return f"({args[0]} LIKE {args[1]})"
    regex = _checked(functools.partial(like_regex, is_atomic=True), pattern, escape)
    return f"({args[0]} RLIKE {quote_text(_whole(regex))})"


def _like_regex_of(pattern: str) -> str:
    """Returns Spark SQL for ``like_regex(pattern, None, is_atomic=True)`` of a column."""
    text = _in_sql("replace", pattern, r"\E", r"\E\\E\Q")
    text = _in_sql("replace", text, "_", r"\E.\Q")
    text = _in_sql("regexp_replace", text, "%([^%]*)(?=%)", r"\\E(?>.*?\\Q$1\\E)\\Q")
    text = _in_sql("replace", text, "%", r"\E.*\Q")
    return f"concat({quote_text(_BEGIN + _QUOTE)}, {text}, {quote_text(_UNQUOTE + _END)})"


def _in_sql(function: str, text: str, old: str, new: str) -> str:
    return f"{function}({text}, {quote_text(old)}, {quote_text(new)})"


def similar(call: CallExpression, args: Sequence[str]) -> str:
    pattern, escape = literal_of(call, 1), literal_of(call, 2)
    if not isinstance(pattern, str) or (len(args) > 2 and not isinstance(escape, str)):
        return through_kernel(call, args)
    regex = _whole(_checked(similar_regex, pattern, escape))
    return through_kernel(call, args) if is_costly_java_pattern(regex) else f"({args[0]} RLIKE {quote_text(regex)})"


def _checked(parse: Callable[[str, str | None], str], pattern: str, escape: object) -> str:
    try:
        return parse(pattern, escape if isinstance(escape, str) else None)
    except PatternError as error:
        raise ValidationException(str(error)) from error


def _whole(regex: str) -> str:
    return f"{_BEGIN}{regex}{_END}"


def negated(translate: Translation, positive: FunctionDefinition) -> Translation:
    """Returns the translation of NOT LIKE or NOT SIMILAR TO; a part that is left to a kernel is the positive call."""
    return lambda call, args: f"(NOT {translate(replace(call, function=positive), args)})"
