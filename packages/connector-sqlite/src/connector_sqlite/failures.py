"""What goes wrong with a database, in words: files that are none, locks, statements that SQLite refuses."""

from __future__ import annotations

import os
import re

from table_common.exceptions import TableError, TableRuntimeException, ValidationException, closest

__all__ = ["is_locked", "reason_of", "refused", "unusable"]

_LOCKED = ("database is locked", "database table is locked", "database schema is locked", "locking protocol")
_SHOWN_CHARACTERS = 300
"""How much of a statement errors show."""
_HINT = "the option 'path' takes the file of a database, as a path or as sqlite:///…; none is created: SQLite's own shell, or sqlite3 in Python, makes one"
_WRAPPING = re.compile(r"^\w+: (?:\[SQLite\] )?(?:[Ff]ailed to \w+ (?:query|statement): )?(.*?)(?:\nquery: .*)?$", re.DOTALL)


def reason_of(error: Exception) -> str:
    """Returns SQLite's own words, without the driver's around them."""
    found = _WRAPPING.match(str(error))
    return found[1] if found else str(error)


def is_locked(error: Exception) -> bool:
    """Returns whether somebody else's lock is the reason: the only one that passes by itself."""
    return reason_of(error).startswith(_LOCKED)


def unusable(path: str) -> ValidationException | None:
    """Returns the error that says why a file cannot be opened as a database; None if it may be one.

    The file is not opened: where SQLite has it open in this process, closing it a second time would take SQLite's locks away.
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


def refused(path: str, sql: str, error: Exception) -> TableError:
    """Returns the error that says what SQLite did not do; a file that is no database can be mended by the user."""
    reason = reason_of(error)
    if reason.startswith("file is not a database"):
        return ValidationException(f"The file '{path}' is no SQLite database.", hint=_HINT)
    if "failed to open" in reason:
        return ValidationException(f"The SQLite database '{path}' cannot be opened; it may not be read.", hint=_HINT)
    shown = sql if len(sql) <= _SHOWN_CHARACTERS else f"{sql[:_SHOWN_CHARACTERS]}…"
    return TableRuntimeException(f"The SQLite database '{path}' refuses {shown}: {reason}.")
