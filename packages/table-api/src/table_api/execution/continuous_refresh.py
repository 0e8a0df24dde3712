"""CONTINUOUS: a streaming job with checkpoints keeps a materialized table fresh, in the process whose statement started it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from table_api.delegation import JobClient
from table_api.execution.derived_session import derived_session
from table_api.execution.full_refresh import refreshed_rows
from table_api.execution.refresh_state import record
from table_api.execution.session import TableSession
from table_api.operations import CollectModifyOperation, ContextResolvedTable, QueryOperation
from table_common.catalog import CatalogMaterializedTable, CatalogPartitionSpec, ObjectIdentifier, RefreshStatus
from table_common.configuration import CheckpointingOptions, StateRecoveryOptions, TableConfigOptions, time_zone_of
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import is_deterministic
from table_common.tree import preorder

_ALL = CatalogPartitionSpec({})


def new_handler(identifier: ObjectIdentifier, session: TableSession) -> Mapping[str, str]:
    """Returns the handler of a new job: its name and checkpoint folder.

    Raises:
        ValidationException: the session has no checkpoint folder.
    """
    folder = session.configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY)
    if not folder:
        raise ValidationException(
            f"The job of the materialized table {identifier} keeps its state in checkpoints, but '{CheckpointingOptions.CHECKPOINTS_DIRECTORY.key}' is not set.",
            hint=f"SET '{CheckpointingOptions.CHECKPOINTS_DIRECTORY.key}' = '…'; or REFRESH_MODE = FULL",
        )
    return {"job": new_job_name(identifier), "checkpoints": folder}


def new_job_name(identifier: ObjectIdentifier) -> str:
    """Returns a name that no other job has: state belongs to a query, and a table may get another one, or be created again."""
    return f"materialized-table_{identifier.object_name}_{uuid.uuid4().hex[:12]}"


def updates_rows(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> bool:
    """Returns whether the query of a new table changes rows that it gave before, as a streaming job runs it.

    Raises:
        ValidationException: no source of the query is unbounded, or it changes rows and is not deterministic.
    """
    from table_api.plan.boundedness import is_unbounded
    from table_api.plan.optimizer import optimize_stream

    streaming = derived_session(session, {TableConfigOptions.RUNTIME_MODE.key: "streaming"})
    query = CollectModifyOperation(refreshed_rows(identifier, table, _ALL, streaming))
    plan = optimize_stream([query], streaming, streaming.planner)
    if plan is None or not is_unbounded(plan.operations, str(time_zone_of(streaming.config.get_local_timezone()))):
        raise ValidationException(
            f"The query of the materialized table {identifier} ends, because its sources do, so no job can keep the table fresh.",
            hint="REFRESH_MODE = FULL; or a source that does not end, such as a folder with 'source.monitor-interval'",
        )
    changes = not plan.changes_of(plan.operations[0].child).is_insert_only
    for node in preorder(plan.operations[0].child, QueryOperation):
        if changes and not is_deterministic(node.expressions):
            raise ValidationException(
                f"The query of the materialized table {identifier} changes rows, and calls a function that is not deterministic: it could not find "
                "the rows to change again.",
                hint="REFRESH_MODE = FULL; or take the value from a column of the source",
            )
    return changes


def start_job(
    identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession, options: Mapping[str, str] | None = None
) -> None:
    """Starts the job of a table, after its last checkpoint if it has one; ``options`` are those of the table for this run.

    Raises:
        TableException: another process runs it.
    """
    from table_api.resolution.insertion import insert_into_table

    if table.refresh_handler.get("emptied") == "false":
        _empty(identifier, table, session)
    streaming = derived_session(session, _job_options(table, session))
    _require_stopped(identifier, table, streaming)
    resolved = ContextResolvedTable(identifier, streaming.catalog_manager.schema_resolver.resolve_table(table))
    query = refreshed_rows(identifier, table, _ALL, streaming)
    streaming.run_inserts([insert_into_table(resolved, query, static_partition={}, options=dict(options or {}))])
    record(identifier, session, RefreshStatus.ACTIVATED)


def stop_job(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession, *, savepoint: bool) -> str | None:
    """Stops the job of a table, if it runs; returns the savepoint, if one was written.

    Raises:
        TableException: another process runs it, or the savepoint cannot be written.
    """
    client = _client(table, session)
    if client is None:
        _require_stopped(identifier, table, derived_session(session, _job_options(table, session)))
        return None
    if savepoint:
        return client.stop_with_savepoint(savepoint_directory=session.configuration.get(CheckpointingOptions.SAVEPOINT_DIRECTORY))
    client.cancel()
    client.job_state.wait()
    return None


def last_checkpoint(table: CatalogMaterializedTable, session: TableSession) -> tuple[datetime | None, bool]:
    """Returns the time of the last checkpoint of a job of this session, and whether the job of a table runs anywhere."""
    client = _client(table, session)
    if client is not None:
        found = client.checkpoints()[-1:]
        return (datetime.fromtimestamp(found[0]["time"] / 1000, UTC) if found else None), True
    stored = _stored(table, derived_session(session, _job_options(table, session)))
    return None, stored is not None and not stored["status"].is_terminal_state() and stored["status"].name == "RUNNING"


def _client(table: CatalogMaterializedTable, session: TableSession) -> JobClient | None:
    name = table.refresh_handler["job"]
    for job in session.jobs.started():
        if job.name == name and job.client is not None and not job.status.is_terminal_state():
            return job.client
    return None


def _job_options(table: CatalogMaterializedTable, session: TableSession) -> dict[str, str]:
    handler = table.refresh_handler
    options = {
        TableConfigOptions.RUNTIME_MODE.key: "streaming",
        TableConfigOptions.TABLE_DML_SYNC.key: "false",
        "pipeline.name": handler["job"],
        CheckpointingOptions.CHECKPOINTS_DIRECTORY.key: handler["checkpoints"],
        StateRecoveryOptions.RECOVERY_MODE.key: "RESUME",
    }
    if session.configuration.get(CheckpointingOptions.CHECKPOINTING_INTERVAL) is None:
        options[CheckpointingOptions.CHECKPOINTING_INTERVAL.key] = f"{round(table.freshness.duration.total_seconds())} s"
    if "savepoint" in handler:
        options[StateRecoveryOptions.SAVEPOINT_PATH.key] = handler["savepoint"]
    return options


def _stored(table: CatalogMaterializedTable, streaming: TableSession) -> dict[str, Any] | None:
    return next((dict(job) for job in streaming.planner.stored_jobs() if job["name"] == table.refresh_handler["job"]), None)


def _require_stopped(identifier: ObjectIdentifier, table: CatalogMaterializedTable, streaming: TableSession) -> None:
    stored = _stored(table, streaming)
    if stored is not None and stored["status"].name == "RUNNING":
        raise TableException(
            f"The job of the materialized table {identifier} is not a job of this session: {stored['owner']}.",
            hint="run the statement in the program that runs the job, or end that program",
        )


def _empty(identifier: ObjectIdentifier, table: CatalogMaterializedTable, session: TableSession) -> None:
    """Removes the rows of the query before ALTER … AS: the new job starts from the beginning. It is noted in the catalog before the job can write."""
    from table_api.plan.rules.create_sinks import table_sink
    from table_common.connector.sink.abilities import SupportsTruncate

    resolved = ContextResolvedTable(identifier, session.catalog_manager.schema_resolver.resolve_table(table))
    sink = table_sink(resolved, {}, session.rule_context())
    if not isinstance(sink, SupportsTruncate):
        raise ValidationException(
            f"The connector of the materialized table {identifier} cannot remove the rows of its former query.",
            hint="DROP it and CREATE it",
        )
    sink.execute_truncation()
    record(identifier, session, emptied=None)
