"""What the start of a statement would do with the checkpoints of its job."""

from __future__ import annotations

from table_common.configuration import ReadableConfig
from table_runtime.run.operator import Operator
from table_runtime.streaming.graph.statement_set import graph_of, sinks_of
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.job.recovery import find_existing
from table_runtime.streaming.job.upgrade_check import describe_upgrade, half_read, upgrade_of


def explain_upgrade(root: Operator, job: str, configuration: ReadableConfig) -> str:
    """Returns what a plan, run as a job, would use of the state in its checkpoints: a line per operator."""
    checkpointing = Checkpointing.of(configuration)
    layout = layout_of(graph_of(root), [sink.table for sink in sinks_of(root)])
    manifest = find_existing(checkpointing.directory, job, checkpointing.path)
    if manifest is None:
        return f"The job '{job}' has no checkpoints: it starts over."
    upgrade = upgrade_of(manifest, layout)
    verdict = (
        "is refused"
        if half_read(manifest, layout)
        else "resumes"
        if upgrade.is_possible
        else "is refused, or resumes without some state if 'execution.state-recovery.ignore-unclaimed-state' is set,"
    )
    return f"The job '{job}' {verdict} after epoch {manifest.epoch}:\n{describe_upgrade(manifest, layout, upgrade)}"
