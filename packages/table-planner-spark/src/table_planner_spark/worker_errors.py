"""Carries errors from Spark's Python workers to the driver: class, message and hint travel encoded in the text that Spark reports."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from table_common.exceptions import (
    CatalogException,
    TableError,
    TableException,
    TableInternalError,
    TableRuntimeException,
    ValidationException,
    WrongKindException,
)

_KINDS: dict[str, type[TableError]] = {
    kind.__name__: kind
    for kind in (
        CatalogException,
        TableError,
        TableException,
        TableInternalError,
        TableRuntimeException,
        ValidationException,
        WrongKindException,
    )
}
"""The classes as which an error can arrive. A connector's own class may be unknown in the driver, so its nearest base class here is used."""
BEFORE_HINT = "\x1f"
"""Separates the hint from the message in the text of ``raise_error``."""
LOST_WORKER = "Python worker exited unexpectedly"
"""What Spark writes of a task whose Python worker has ended."""
_LOST = (
    "ExecutorLostFailure",
    "FetchFailed",
    LOST_WORKER,
    "IOException: Stream closed",
    "IOException: Broken pipe",
)
"""What Spark writes of tasks whose process has ended."""
_CARRIED = re.compile(r"\[table-error:([A-Za-z0-9+/=]+)\]")


class CarriedError(Exception):
    """An error encoded as text, which survives the Python and Java stack traces around it."""


@contextmanager
def carrying_errors(doing: str) -> Iterator[None]:
    """Encodes errors of the block for ``find_carried_error``. The message of an error that is no ``TableError`` begins with ``doing``."""
    try:
        yield
    except Exception as error:
        found = to_table_error(error, doing)
        kind = next(base.__name__ for base in type(found).__mro__ if base.__name__ in _KINDS)
        from table_runtime.streaming import is_failure_of_system  # few tasks fail

        content = json.dumps([kind, found.message, found.hint, is_failure_of_system(error)])
        raise CarriedError(f"[table-error:{base64.b64encode(content.encode()).decode()}]") from error


def to_table_error(error: Exception, doing: str) -> TableError:
    """Returns the error as the embedded engine would raise it."""
    if isinstance(error, TableError):
        return error
    found = TableRuntimeException(f"{doing} failed: {type(error).__name__}: {error}")
    found.__cause__ = error
    return found


def find_carried_error(text: str) -> TableError | None:
    """Returns the error that a worker encoded in the text, or None."""
    found = _CARRIED.search(text)
    if found is None:
        return None
    name, message, hint, _ = json.loads(base64.b64decode(found[1]))
    return _KINDS[name](message, hint=hint)


def is_failure_of_system(text: str) -> bool:
    """Whether a Spark job failed because of a file system, a network, a server or a lost process, so that a repetition may succeed."""
    found = _CARRIED.search(text)
    if found is not None:
        return bool(json.loads(base64.b64decode(found[1]))[3])
    return any(reason in text for reason in _LOST)
