"""A higher recursion limit while a statement is parsed, converted and planned.

Statements may nest some hundred levels; Python's default limit of a thousand frames is for programs without such input. Since Python
3.11 a call of a Python function takes no C stack, so a higher limit is safe. The limit belongs to the interpreter, not to a thread:
the first statement that needs it raises it, and the last one that ends restores it.

All depth limits are defined here: ``MAX_DEPTH`` and the limits derived from it.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from types import TracebackType

MAX_DEPTH = 500
"""The maximal nesting of a statement, an expression, views and JSON."""
MAX_TYPE_DEPTH = 64
"""The maximal nesting of types."""
MAX_TYPE_PARTS = 10_000
"""The maximum number of types in a type: ROW(s, s) of ROW(s, s) doubles it with each level."""
MAX_PLAN_DEPTH = 4 * MAX_DEPTH
"""The maximum depth of a plan in operations: chains of joins and of Table calls are deep without nesting in the text."""

_LIMIT = 30_000
_lock = threading.Lock()
_users = 0
_before = 0


class deep_recursion:  # noqa: N801  # used as a function, and faster than a generator on the path of every statement
    """A context with a higher recursion limit; nested and concurrent blocks share it.

    Raises:
        ValidationException: the higher limit is not sufficient.

    Example:
        >>> import sys
        >>> before = sys.getrecursionlimit()
        >>> with deep_recursion():
        ...     sys.getrecursionlimit() > before
        True
    """

    def __enter__(self) -> None:
        global _users, _before
        with _lock:
            if _users == 0:
                _before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(_before, _LIMIT))
            _users += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        global _users
        with _lock:
            _users -= 1
            if _users == 0 and sys.getrecursionlimit() == max(_before, _LIMIT):
                # A caller that is already deeper than the previous limit keeps the higher one.
                with suppress(RecursionError):
                    sys.setrecursionlimit(_before)
        if isinstance(error, RecursionError):
            from table_common.exceptions import ValidationException  # the errors are not needed otherwise

            raise ValidationException(
                "The statement, with the views that it reads, is nested too deep.",
                hint="write an intermediate result into a table and read that",
            ) from error


def require_plan_depth(depth: int) -> None:
    """Refuses a plan in which ``depth`` operations are nested in each other, if these are too many.

    Raises:
        ValidationException: there are more than ``MAX_PLAN_DEPTH``.

    Example:
        >>> require_plan_depth(1)
        >>> try:
        ...     require_plan_depth(MAX_PLAN_DEPTH + 1)
        ... except Exception as error:
        ...     print(error.message)
        The query has 2,001 nested operations, but at most 2,000 are supported.
    """
    if depth > MAX_PLAN_DEPTH:
        from table_common.exceptions import ValidationException

        raise ValidationException(
            f"The query has {depth:,} nested operations, but at most {MAX_PLAN_DEPTH:,} are supported.",
            hint="write an intermediate result into a table and read that",
        )
