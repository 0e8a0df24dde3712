"""Error messages: missing or invalid database files, locks, and statements that SQLite rejects."""

from __future__ import annotations

import os
import re

from table_common.exceptions import TableError, TableRuntimeException, ValidationException, closest

_LOCKED = ("database is locked", "database table is locked", "database schema is locked", "locking protocol")
_SHOWN_CHARACTERS = 300
"""The maximum length of a statement in an error message."""
_HINT = "the option 'path' is a database file, as a path or sqlite:///…; it is not created: use SQLite's shell, or sqlite3 in Python"
_WRAPPING = re.compile(r"^\w+: (?:\[SQLite\] )?(?:[Ff]ailed to \w+ (?:query|statement): )?(.*?)(?:\nquery: .*)?$", re.DOTALL)


def reason_of(error: Exception) -> str:
    """Returns SQLite's message, without the text that the driver adds."""
    match = _WRAPPING.match(str(error))
    return match[1] if match else str(error)


def is_locked(error: Exception) -> bool:
    """Returns whether the cause is another connection's lock, so that a retry can succeed."""
    return reason_of(error).startswith(_LOCKED)


def unusable(path: str | os.PathLike[str]) -> ValidationException | None:
    """Returns the error for a path that is not a file; None if the file exists.

    The file is not opened: if SQLite has it open in this process, closing it here would release SQLite's locks.
    """
    shown = f"'{path}'" if os.path.isabs(path) else f"'{path}' ({os.path.abspath(path)})"
    if os.path.isdir(path):
        return ValidationException(f"The SQLite database {shown} is a folder.", hint=_HINT)
    if os.path.exists(path):
        return None
    text = f"The SQLite database {shown} does not exist"
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        return ValidationException(f"{text}, nor does the folder '{folder}'.", hint=_HINT)
    near = closest(os.path.basename(path), os.listdir(folder), 1)
    return ValidationException(f"{text}.{f' Did you mean {near[0]!r}?' if near else ''}", hint=_HINT)


def refused(path: str | os.PathLike[str], sql: str, error: Exception) -> TableError:
    """Returns the error for a rejected statement; a file that is not a database is a ``ValidationException``."""
    reason = reason_of(error)
    if reason.startswith("file is not a database"):
        return ValidationException(f"The file '{path}' is not a SQLite database.", hint=_HINT)
    if "failed to open" in reason:
        return ValidationException(f"The SQLite database '{path}' cannot be opened; check its permissions.", hint=_HINT)
    shown = sql if len(sql) <= _SHOWN_CHARACTERS else f"{sql[:_SHOWN_CHARACTERS]}…"
    return TableRuntimeException(f"The SQLite database '{path}' rejects {shown}: {reason}.")
