"""The log of statements: one record of the logger ``table.statement`` for each, when it has ended.

A record has the statement with redacted secrets, the job, the duration, the rows and the failure, as text or as JSON, and as attributes for
formatters. Level INFO, and WARNING after a failure; a cancelled statement did not fail. It is not written if the program has not imported ``logging``.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from table_common.configuration import ReadableConfig, TableConfigOptions
from table_common.exceptions import JobCancelledException, TableError
from table_common.secrets import mask_text

LOGGER = logging.getLogger("table.statement")
LOGGER.addHandler(logging.NullHandler())  # without it, Python prints warnings of programs that have no handler
LONGEST = 2_000
"""Characters of a statement and of a failure in a record; longer texts are cut."""


class StatementLog:
    """What the record of one statement will say; only the first call of ``end`` writes it."""

    def __init__(self, text: str, *, is_json: bool) -> None:
        """``text`` is free of secrets."""
        self.text = _one_line(text)
        self._is_json = is_json
        self._started = time.monotonic()
        self._rows: int | None = None
        self._has_ended = False
        self.job_id: str | None = None

    def count_rows(self, rows: int) -> None:
        """Adds rows that the job returned or wrote."""
        self._rows = (self._rows or 0) + rows

    def end(self, error: BaseException | None = None, *, outcome: str = "finished") -> None:
        """Writes the record. The error is free of secrets."""
        if self._has_ended:
            return
        self._has_ended = True
        is_cancelled = isinstance(error, JobCancelledException)
        fields: dict[str, object] = {
            "statement": self.text,
            "job_id": self.job_id,
            "outcome": outcome if error is None else "cancelled" if is_cancelled else "failed",
            "duration_ms": round((time.monotonic() - self._started) * 1000),
            "rows": self._rows,
            "code": None,
            "failure": None,
        }
        if error is not None:
            code, message = (error.code, error.message) if isinstance(error, TableError) else (type(error).__name__, str(error))
            fields |= {"code": code, "failure": _one_line(message)}
        level = logging.INFO if error is None or is_cancelled else logging.WARNING
        LOGGER.log(level, "%s", json.dumps(fields, ensure_ascii=False) if self._is_json else _sentence(fields), extra=fields)


_CURRENT: ContextVar[StatementLog | None] = ContextVar("statement_log", default=None)


@contextmanager
def logged_statement(text: str, configuration: ReadableConfig) -> Iterator[None]:
    """Writes the record of a statement that fails or starts no job; jobs that it starts get its text."""
    log = StatementLog(mask_text(text)[0], is_json=_is_json(configuration))
    token = _CURRENT.set(log)
    try:
        yield
    except Exception as error:
        log.end(error)
        raise
    finally:
        _CURRENT.reset(token)
    if log.job_id is None:
        log.end()


def current_statement() -> str | None:
    """Returns the statement that runs, on one line and without secrets; None for a call of the Table API."""
    log = _CURRENT.get()
    return None if log is None else log.text


def started_job(job_id: str, name: str, configuration: ReadableConfig) -> StatementLog:
    """Returns the log of the statement that runs, or of a Table API call, for its job."""
    log = _CURRENT.get()
    if log is None or log.job_id is not None:
        log = StatementLog(name, is_json=_is_json(configuration))
    log.job_id = job_id
    return log


def _is_json(configuration: ReadableConfig) -> bool:
    return configuration.get(TableConfigOptions.LOG_FORMAT) == "json"


def _one_line(text: str) -> str:
    words = " ".join(text[: 2 * LONGEST].split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def _sentence(fields: dict[str, object]) -> str:
    parts = [f"{fields['outcome']} after {fields['duration_ms']} ms"]
    if fields["rows"] is not None:
        parts.append(f"{fields['rows']} rows")
    if fields["job_id"] is not None:
        parts.append(f"job {fields['job_id']}")
    reason = "" if fields["code"] is None else f" [{fields['code']}: {fields['failure']}]"
    return f"{', '.join(parts)}: {fields['statement']}{reason}"
