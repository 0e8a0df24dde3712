"""Functions that divide a string into parts: SPLIT, SPLIT_INDEX and STR_TO_MAP."""

from __future__ import annotations

import re
from collections.abc import Sequence

from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import strings as fn
from table_common.java_patterns import is_costly_java_pattern, read_java_pattern
from table_common.types import CharacterType
from table_planner_spark.expressions.functions.collections import map_of_entries
from table_planner_spark.expressions.functions.translation import Translation, literal_of, template
from table_planner_spark.expressions.names import WORKER_PREFIX, quote_text
from table_planner_spark.expressions.value_sizes import guarded, is_repeatable
from table_planner_spark.expressions.worker_kernels import through_kernel

_OFFSET = 4
"""Bytes that a part has on the embedded engine beside its text; each part but one has a separator of at least one byte."""


def _quoted_separator(separator: str) -> str:
    return f"concat('\\\\Q', {separator}, '\\\\E')"


def _split(call: CallExpression, args: Sequence[str]) -> str:
    separator = literal_of(call, 1)

    def made(text: str) -> str:
        if isinstance(separator, str):
            # Java is many times as fast with a character than with a pattern.
            pattern = quote_text(re.escape(separator)) if len(separator) <= 1 else _quoted_separator(args[1])
            parts = f"split({text}, {pattern}{'' if separator == '' else ', -1'})"
        else:  # with an empty separator Spark would add an empty part at the end
            parts = template(f"split({{0}}, {_quoted_separator('{1}')}, if({{1}} = '', length({{0}}), -1))")(call, [text, args[1]])
        return f"if({text} = '', CAST(array() AS ARRAY<STRING>), {parts})"

    def size(text: str) -> str:
        without = f"octet_length(replace({text}, {args[1]}, ''))"
        count = f"(octet_length({text}) - {without}) div nullif(octet_length({args[1]}), 0)"
        return f"if({args[1]} = '', octet_length({text}) + {_OFFSET}L * length({text}), {without} + {_OFFSET}L * (1 + {count}))"

    if not is_repeatable(args[1]) or WORKER_PREFIX in args[1]:
        return made(args[0])
    return guarded("SPLIT", call.args[0], args[0], _OFFSET + 1, size, made)


def _split_index(call: CallExpression, args: Sequence[str]) -> str:
    is_text = isinstance(call.args[1].output_type, CharacterType)
    separator = args[1] if is_text else f"if({args[1]} BETWEEN 1 AND 255, chr({args[1]}), NULL)"
    text = template(f"if({{0}} = '' OR {{2}} < 0, NULL, get(split({{0}}, {_quoted_separator('{1}')}, -1), {{2}}))")
    return text(call, [args[0], separator, args[2]])


def _str_to_map(call: CallExpression, args: Sequence[str]) -> str:
    separators = [literal_of(call, position) for position in range(1, len(args))]
    if not all(isinstance(separator, str) and _is_left_to_java(separator) for separator in separators):
        return through_kernel(call, args)
    list_separator = args[1] if len(args) > 1 else "','"
    key_separator = args[2] if len(args) > 2 else "'='"
    # Java drops empty parts at the end.
    parts = "slice(__parts, 1, coalesce(array_max(transform(__parts, (__part, __at) -> if(__part = '', 0, __at + 1))), 0))"
    parts = f"element_at(transform(array(split({{0}}, {{1}}, -1)), __parts -> {parts}), 1)"
    entry = "named_struct('key', get(split(__part, {2}, 2), 0), 'value', get(split(__part, {2}, 2), 1))"
    entries = map_of_entries(f"transform({parts}, __part -> {entry})")
    text = template(f"if({{0}} = '', CAST(map() AS MAP<STRING, STRING>), {entries})")

    separator = str(separators[0]) if separators else ","
    least = len(separator.encode()) if separator.isalnum() else 1  # bytes of a separator

    def size(argument: str) -> str:
        separated = f"octet_length({argument}) - octet_length(regexp_replace({argument}, {list_separator}, ''))"
        return f"(octet_length({argument}) + {2 * _OFFSET}L * (1 + ({separated}) div {least}))"

    return guarded(
        "STR_TO_MAP", call.args[0], args[0], 2 * _OFFSET + 1, size, lambda argument: text(call, [argument, list_separator, key_separator])
    )


def _is_left_to_java(separator: str) -> bool:
    read = read_java_pattern(separator)
    return bool(separator) and read is not None and read.groups is not None and not is_costly_java_pattern(separator)


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.SPLIT: _split,
    fn.SPLIT_INDEX: _split_index,
    fn.STR_TO_MAP: _str_to_map,
}
