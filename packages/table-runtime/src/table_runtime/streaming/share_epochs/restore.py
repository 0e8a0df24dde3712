"""Where a job in shares begins after a checkpoint or a savepoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.exceptions import TableException
from table_runtime.streaming.checkpoints.state_compatibility import Verdict
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, write_state
from table_runtime.streaming.graph.nodes_above import nodes_above
from table_runtime.streaming.job.attempts import Attempt
from table_runtime.streaming.job.recovery import RestorePoint
from table_runtime.streaming.share_epochs.job_spec import JobSpec
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.time.watermarks import END_OF_TIME


def restored(stream: JobSpec, job: SharedJob, attempt: Attempt) -> SharedJobState:
    """Returns the state after the epoch where the attempt begins. Files of another folder are copied into that of the job."""
    point, layout = attempt.restore_point, stream.layout
    manifest = point.manifest
    assert manifest is not None
    files: dict[int, tuple[StateFile, ...]] = {}
    watermarks: dict[int, tuple[int, ...]] = {}
    snapshots: dict[int, list[Any]] = {}
    for node, name in enumerate(layout.operators):
        claim, stored = point.upgrade.old_name(name), point.stored(name)
        if stored is None:
            continue
        if claim is not None and claim.verdict is Verdict.COMPATIBLE:
            raise TableException(
                f"The state of {layout.nodes[node].operator} must be converted for the changed statement, which a job in shares cannot do.",
                hint="Run the changed statement once with one worker on the embedded engine and take a savepoint there; or start over.",
            )
        if stream.levels.level_of[node] == 0:
            snapshots[node] = [read_state(point.store, file) for file in stored.files]
            continue
        files[node] = (
            stored.files
            if point.can_name_files and claim is not None and claim.old == name
            else _copied(stored.files, point, name, attempt)
        )
        if len(stored.watermarks) == layout.nodes[node].inputs + 2:
            watermarks[node] = stored.watermarks
    _require_open_time(stream, point)
    sources = tuple(job.source_progress(number, snapshots) for number in range(len(stream.graph.sources)))
    due = {(level.number, share): 0 for level in job.levels.levels[1:] for share in range(job.levels.shares)}
    return SharedJobState(sources, files, watermarks, {}, {}, due, manifest.processing_time, is_first=False)


def _require_open_time(stream: JobSpec, point: RestorePoint) -> None:
    """Checks that event time has not ended where rows may still come.

    Raises:
        TableException: the job was stopped with its event time at the end.
    """
    for source, position in zip(stream.graph.sources, point.positions(stream.layout), strict=True):
        for number, _, _ in nodes_above(stream.graph.nodes, source.edges) if not position.get("ended") else ():
            stored = point.stored(stream.layout.operators[number])
            if stored is not None and stored.watermarks[:1] == (END_OF_TIME,):
                raise TableException(
                    "The job was stopped with its event time at the end (DRAIN), and a job in shares cannot resume after that.",
                    hint="Start from a savepoint that was taken without DRAIN, or continue with one worker on the embedded engine: the planner 'arrow'.",
                )


def _copied(files: Sequence[StateFile], point: RestorePoint, name: str, attempt: Attempt) -> tuple[StateFile, ...]:
    checkpoints = attempt.checkpoints
    result = []
    for number, file in enumerate(files):
        path = checkpoints.folder.state_path(name, checkpoints.next_epoch, checkpoints.run, f"copy{number}")
        share = None if file.share is None or file.of is None else (file.share, file.of)
        result.append(write_state(checkpoints.folder.store, path, read_state(point.store, file), share=share))
    return tuple(result)
