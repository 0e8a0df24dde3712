"""STOP JOB."""

from __future__ import annotations

from table_api.delegation import JobStatus
from table_api.execution.job_statements import started_job
from table_api.execution.local_result import ok, texts_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.command import StopJobOperation
from table_api.table_result import TableResult
from table_common.exceptions import ValidationException


@execute.register(StopJobOperation)
def _stop(operation: StopJobOperation, session: TableSession) -> TableResult:
    job = started_job(operation.job_id, session)
    client = job.client
    if client is None or job.status.is_terminal_state():
        raise ValidationException(f"The job '{operation.job_id}' has ended: its status is {job.status.value}.")
    if operation.with_savepoint:
        return texts_of("savepoint path", [client.stop_with_savepoint(operation.with_drain)], whole=True)
    client.end()
    if client.get_job_status() is not JobStatus.CANCELED:
        client.job_state.wait()
    return ok()
