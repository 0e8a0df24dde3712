"""Names, types and string constants as Spark SQL text."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from table_api_bridge import spark_type_sql, to_spark_type
from table_common.types import LogicalType

WORKER_PREFIX = "table_kernel_"
"""Prefix of the names of functions that run in Python workers."""

_LONGEST_REPEATED = 100
_BOUND = itertools.count(1)


def base64_text(binary: str) -> str:
    """Returns Spark SQL for bytes as Base64 in one line; for this the planner sets ``spark.sql.chunkBase64String.enabled`` to false."""
    return f"base64({binary})"


def quote_text(text: str) -> str:
    """Returns a string constant.

    Everything that Spark's lexer, its escapes or its ``${…}`` substitution could read is written as an escape. Escapes are on because
    the planner sets ``spark.sql.parser.escapedStringLiterals`` while it translates.
    """
    return "'" + "".join(_escape(character) for character in text) + "'"


def _escape(character: str) -> str:
    if character in "\\'\"":
        return "\\" + character
    if character == "$" or character < " " or character == "\x7f":
        return f"\\u{ord(character):04x}"
    return character


def to_type_sql(type_: LogicalType) -> str:
    """Returns the Spark type that holds a SQL type, as the target of a CAST."""
    return spark_type_sql(to_spark_type(type_))


def bind(text: str, use: Callable[[str], str]) -> str:
    """Returns ``use(text)`` such that a long text is written once, however often ``use`` repeats it.

    Templates that need an argument several times would otherwise make text that grows exponentially with nesting.
    """
    if len(text) <= _LONGEST_REPEATED:
        return use(text)
    name = f"__bound{next(_BOUND)}"
    body = use(name)
    if WORKER_PREFIX in body:  # Spark does not allow calls of Python functions in a lambda
        return use(text)
    return f"element_at(transform(array({text}), {name} -> {body}), 1)"
