"""How deep a statement may be nested, and room for it on Python's stack.

A rule that calls itself costs Python frames, of which there are a thousand by default. The depth of a statement is known from its
brackets before it is parsed: what is deeper than ``MAX_DEPTH`` is an error of ours; what needs more frames than are left raises the
interpreter's limit while it is parsed. Frames of Python functions that call Python functions take no room on the C stack (since 3.11), so
that this is safe in any thread.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from table_api.sql.grammar.lexer import Tokens
from table_common.exceptions import SourcePosition, SqlParserException

__all__ = ["MAX_DEPTH", "room_for"]

MAX_DEPTH = 500
"""How many parentheses, brackets and CASEs may be open at once."""

_FRAMES_PER_LEVEL = 40
_FRAMES_AT_LEAST = 400
_OPEN = frozenset({"(", "[", "{", "CASE"})
_CLOSE = frozenset({")", "]", "}", "END"})

_lock = threading.Lock()
_users = 0
_limit_before = 0


def _depth_of(tokens: Tokens) -> int:
    if tokens.text.count("(") + tokens.text.count("[") < 2 and "CASE" not in tokens.kinds:
        return 1
    depth = deepest = 0
    for index, kind in enumerate(tokens.kinds):
        if kind in _OPEN:
            depth += 1
            if depth > deepest:
                deepest = depth
                if depth > MAX_DEPTH:
                    raise SqlParserException(
                        f"The statement is nested more than {MAX_DEPTH} levels deep here.",
                        position=SourcePosition.of_offset(tokens.text, tokens.starts[index], tokens.ends[index]),
                        hint="move inner parts into WITH or views",
                    )
        elif kind in _CLOSE and depth:
            depth -= 1
    return deepest


@contextmanager
def room_for(tokens: Tokens) -> Iterator[None]:
    """Makes sure that the rules can call each other as deep as the brackets of ``tokens`` go.

    Raises:
        SqlParserException: They go deeper than ``MAX_DEPTH``.
    """
    global _users, _limit_before
    needed = _frames_in_use() + _FRAMES_AT_LEAST + _FRAMES_PER_LEVEL * _depth_of(tokens)
    with _lock:
        limit = sys.getrecursionlimit()
        own_limit = _limit_before if _users else limit
        raises = needed > own_limit
        if raises:
            # The limit is the interpreter's, not the thread's: the last one out restores it. Whoever relies on a raised limit is counted.
            _limit_before = own_limit
            _users += 1
            sys.setrecursionlimit(max(needed, limit))
    if not raises:
        yield
        return
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                sys.setrecursionlimit(_limit_before)


def _frames_in_use() -> int:
    frame: FrameType | None = sys._getframe()
    count = 0
    while frame is not None:
        frame = frame.f_back
        count += 1
    return count
