"""Turns the errors of the driver into errors that say what failed, where, and what to do."""

from __future__ import annotations

import re
from urllib.parse import quote

from table_common.exceptions import TableError, TableRuntimeException, ValidationException

_SHOWN_CHARACTERS = 300
"""The maximum length of a statement in an error message."""
_TRANSIENT_STATES = ("08", "57P01", "57P02", "57P03", "40001", "40P01", "53300")
_LOST = (
    "server closed the connection",
    "could not receive data",
    "could not send data",
    "connection refused",
    "no connection to the server",
    "terminating connection",  # the driver loses the state 57P01 within a scan
)
_UNREACHABLE = (
    "connection to server",
    "could not connect",
    "could not translate host name",
    "No such file or directory",
    "timeout expired",
)
_HINTS = {
    "42P10": "the primary key of the table definition needs a UNIQUE constraint or a unique index over exactly these columns in PostgreSQL",
    "23505": "declare PRIMARY KEY (…) NOT ENFORCED in the table definition: rows with equal keys then replace each other",
    "55P03": "another session holds a lock on the table; try again, or raise lock_timeout: ?options=-c%20lock_timeout=60s in the URL",
    "42501": "the user needs the privileges SELECT or INSERT, UPDATE, DELETE on the table, and for writing CREATE on its schema (staging tables)",
    "22021": "PostgreSQL's text cannot contain the character NUL: REPLACE(…, CHR(0), '') removes it",
}


def failure_of(error: Exception, place: str, sql: str | None, password: str | None = None) -> TableError:
    """Returns the error for a failed connection (``sql`` is None) or statement."""
    state = _state_of(error)
    reason = _reason_of(error)
    if password:
        for secret in (password, quote(password, safe="")):  # as the URL contains it
            reason = reason.replace(secret, "******")
    if sql is None:
        return _refused_connection(reason, place)
    shown = sql if len(sql) <= _SHOWN_CHARACTERS else f"{sql[:_SHOWN_CHARACTERS]}…"
    is_lost = state.startswith("08") or any(text in reason for text in _LOST) or state in ("57P01", "57P02")
    if is_lost:
        failed: TableError = TableRuntimeException(
            f"The connection to {place} was lost: {reason}. The statement was {shown}",
            hint="check that the server runs; commits are repeated 'sink.max-retries' times, lookups 'lookup.max-retries' times",
        )
        _mark(failed, "08006")
        return failed
    failed = TableRuntimeException(f"{place} rejects a statement: {reason}. The statement was {shown}", hint=_HINTS.get(state))
    _mark(failed, state)
    return failed


def is_transient(error: TableError) -> bool:
    """Returns whether a repetition can succeed: the connection was lost, or PostgreSQL resolved a conflict of transactions."""
    return state_of(error).startswith(_TRANSIENT_STATES)


def state_of(error: TableError) -> str:
    """Returns the SQLSTATE of an error of this connector, or an empty text."""
    return str(getattr(error, "sql_state", ""))


def _mark(error: TableError, state: str) -> None:
    error.sql_state = state  # type: ignore[attr-defined]  # read by this module only


def _refused_connection(reason: str, place: str) -> TableError:
    failed: TableError
    if "password authentication failed" in reason or "no password supplied" in reason or "authentication failed" in reason:
        failed = ValidationException(f"{place} refuses the user: {reason}.", hint="check the options 'username' and 'password'")
    elif re.search(r'database ".*" does not exist', reason):
        failed = ValidationException(f"{place} does not exist.", hint="the database is the path of the option 'url'")
    elif re.search(r'role ".*" does not exist', reason):
        failed = ValidationException(f"{place} refuses the user: {reason}.", hint="check the option 'username'")
    else:
        failed = TableRuntimeException(
            f"{place} cannot be reached: {reason}.",
            hint="check the option 'url', and that the server runs; 'connection.max-retry-timeout' is the time limit",
        )
        _mark(failed, "08001")
    return failed


def _state_of(error: Exception) -> str:
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) and state != "00000" else ""


def _reason_of(error: Exception) -> str:
    """Returns PostgreSQL's message on one line, without the text that the driver adds."""
    text = str(error)
    match = re.search(r"(?:ERROR|FATAL|PANIC):\s+(.*)", text, re.DOTALL)
    reason = match[1] if match else re.sub(r"^[A-Z_]+: (?:\[libpq\] )?", "", text)
    reason = (
        reason.partition("\nLINE ")[0]
        .partition("\nVendor")[0]
        .partition("\n. Vendor")[0]
        .partition(". SQLSTATE")[0]
        .partition("\nQuery:")[0]
        .partition("Query was: ")[0]
    )
    return " ".join(reason.split()).rstrip(". ")
