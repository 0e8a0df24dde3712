"""SHOW JOBS and DESCRIBE JOB: the jobs of the session, and those whose checkpoints are in its checkpoint folder."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from table_api.execution.local_result import rows_of
from table_api.execution.session import TableSession
from table_api.jobs.session_jobs import StartedJob
from table_api.table_result import TableResult
from table_common.configuration import CheckpointingOptions
from table_common.exceptions import TableException, ValidationException
from table_common.types import BigIntType, LocalZonedTimestampType, LogicalType, VarCharType

_COLUMNS: tuple[tuple[str, LogicalType], ...] = (
    ("job id", VarCharType()),
    ("job name", VarCharType()),
    ("status", VarCharType()),
    ("start time", LocalZonedTimestampType(3)),
)
_CHECKPOINT_COLUMNS: tuple[tuple[str, LogicalType], ...] = (("last epoch", BigIntType()), ("checkpoint", VarCharType()))


def jobs_result(session: TableSession) -> TableResult:
    """Returns a row per job, in the order in which they started."""
    rows: list[tuple[Any, ...]] = [_row(job) for job in session.jobs.started()]
    names = {job.name for job in session.jobs.started()}
    rows += [_stored_row(job)[: len(_COLUMNS)] for job in _stored(session) if job["name"] not in names]
    rows.sort(key=_start)
    return rows_of(_COLUMNS, rows)


def described_job(job_id: str, session: TableSession) -> TableResult:
    """Returns one row: what SHOW JOBS says of a job, and its last checkpoint.

    Raises:
        ValidationException: there is no such job.
    """
    columns = (*_COLUMNS, *_CHECKPOINT_COLUMNS)
    for job in reversed(session.jobs.started()):
        if job_id in (job.job_id, job.name):
            client = job.client
            last = client.checkpoints()[-1:] if client is not None else ()
            checkpoint = (last[0]["epoch"], last[0]["path"]) if last else (None, None)
            return rows_of(columns, [(*_row(job), *checkpoint)], whole=True)
    for stored in _stored(session):
        if job_id in (stored["id"], stored["name"]):
            return rows_of(columns, [_stored_row(stored)], whole=True)
    raise _unknown(job_id, session)


def started_job(job_id: str, session: TableSession) -> StartedJob:
    """Returns the last job of the session with an id or a name.

    Raises:
        ValidationException: there is none.
        TableException: another program runs it.
    """
    for job in reversed(session.jobs.started()):
        if job_id in (job.job_id, job.name):
            return job
    for stored in _stored(session):
        if job_id in (stored["id"], stored["name"]):
            raise TableException(
                f"The job '{job_id}' is not a job of this session: {stored['owner']}.", hint="Stop it in the program that runs it."
            )
    raise _unknown(job_id, session)


def _row(job: StartedJob) -> tuple[Any, ...]:
    return job.job_id, job.name, job.status.value, _time(job.start_time)


def _start(row: tuple[Any, ...]) -> float:
    start: datetime | None = row[3]
    return start.timestamp() if start is not None else math.inf


def _stored(session: TableSession) -> list[dict[str, Any]]:
    """Returns the jobs in the checkpoint folder, if there is one."""
    if session.configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY) is None:
        return []
    return [dict(job) for job in session.planner.stored_jobs()]


def _stored_row(job: dict[str, Any]) -> tuple[Any, ...]:
    start = _time(job["since"] / 1000) if job["since"] is not None else None
    return job["id"], job["name"], job["status"].value, start, job["epoch"], job["path"]


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds, 3), UTC)


def _unknown(job_id: str, session: TableSession) -> ValidationException:
    known = [name for job in session.jobs.started() for name in (job.job_id, job.name)]
    return ValidationException.unknown("Job", job_id, (*known, *(job["name"] for job in _stored(session))))
