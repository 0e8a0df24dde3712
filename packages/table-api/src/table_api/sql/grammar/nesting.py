"""The limit of nesting in a statement, and the recursion limit that parsing needs.

A recursive rule costs Python frames. Before parsing, the tokens give the nesting depth of brackets and CASEs: more than ``MAX_DEPTH`` is a
syntax error; anything less fits the raised recursion limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from table_api.sql.grammar.lexer import Tokens
from table_common.exceptions import SourcePosition, SqlParserException
from table_common.tree import MAX_DEPTH, deep_recursion

_OPEN = frozenset({"(", "[", "{", "CASE"})
_CLOSE = frozenset({")", "]", "}", "END"})


def _check_depth(tokens: Tokens) -> None:
    if tokens.text.count("(") + tokens.text.count("[") < 2 and "CASE" not in tokens.kinds:
        return
    depth = 0
    for index, kind in enumerate(tokens.kinds):
        if kind in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                raise SqlParserException(
                    f"The statement is nested more than {MAX_DEPTH} levels deep here.",
                    position=SourcePosition.of_offset(tokens.text, tokens.starts[index], tokens.ends[index]),
                    hint="move inner parts into WITH or views",
                )
        elif kind in _CLOSE and depth:
            depth -= 1


@contextmanager
def room_for(tokens: Tokens) -> Iterator[None]:
    """Raises the recursion limit for parsing ``tokens``.

    Raises:
        SqlParserException: Brackets or CASEs are nested deeper than ``MAX_DEPTH``.
    """
    _check_depth(tokens)
    with deep_recursion():
        yield
