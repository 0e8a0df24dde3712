"""The options of a job's checkpoints."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration import CheckpointingOptions, ExecutionConfigOptions, ReadableConfig, StateRecoveryOptions
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import dataclass
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.graph.graph import Graph, Node
from table_runtime.streaming.job.recovery import RecoveryMode

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """The options ``execution.checkpointing.*``; times are in seconds."""

    interval: float
    min_pause: float
    timeout: float
    retained: int
    tolerable_failures: int


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """What the session says of checkpoints; ``directory`` None: they are not durable."""

    directory: str | None
    settings: CheckpointSettings
    mode: RecoveryMode
    path: str | None
    savepoints: str | None
    ignores_unclaimed: bool

    @classmethod
    def of(cls, configuration: ReadableConfig) -> Checkpointing:
        """Reads the options.

        Raises:
            ValidationException: a number is too small.
        """
        given = configuration.get(CheckpointingOptions.CHECKPOINTING_INTERVAL)
        interval = given or configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_COMMIT_INTERVAL)
        retained = configuration.get(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS)
        if retained < 1:
            raise ValidationException(
                f"The option '{CheckpointingOptions.MAX_RETAINED_CHECKPOINTS.key}' must be at least 1, but is {retained}."
            )
        settings = CheckpointSettings(
            interval=interval / _SECOND,
            min_pause=configuration.get(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS) / _SECOND,
            timeout=configuration.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT) / _SECOND,
            retained=retained,
            tolerable_failures=configuration.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER),
        )
        return cls(
            configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY),
            settings,
            RecoveryMode(configuration.get(StateRecoveryOptions.RECOVERY_MODE)),
            configuration.get(StateRecoveryOptions.SAVEPOINT_PATH),
            configuration.get(CheckpointingOptions.SAVEPOINT_DIRECTORY),
            configuration.get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE),
        )

    def check(self, graph: Graph) -> None:
        """Checks that all sources can be read again from where a checkpoint was, and that the state has a written form.

        Raises:
            TableException: one cannot, or a part of the state has none.
        """
        if self.directory is None:
            return
        for source in graph.sources:
            scan = source.scan
            if source.is_unbounded and isinstance(scan, ScanArrow) and not isinstance(scan, ScanOffsets):
                raise TableException(
                    f"The source of {scan.table} is unbounded and has no offsets, so the job cannot resume after a checkpoint.",
                    hint="Implement SourceProvider (latest_offset, plan, create_reader) instead, or unset 'execution.checkpointing.dir'.",
                )
        for node in graph.nodes:
            _require_written_form(node)


def _require_written_form(node: Node) -> None:
    tables = node.operator.create_state(ExecutionContext()).tables()
    if tables and node.raw_column is not None:
        raise TableException(
            f"The state of {node.operator} cannot be written into checkpoints: it keeps the column {node.raw_column}, whose values are Python objects, and "
            "what is in a checkpoint is never unpickled.",
            hint="Give the column an SQL type, such as BYTES, ROW or a dataclass's fields, or unset 'execution.checkpointing.dir'.",
        )
    for table in tables.values():
        if table.refusal is not None:
            raise TableException(
                f"The state of {node.operator} cannot be written into checkpoints: {table.refusal}.",
                hint="Declare the accumulator's type: annotate create_accumulator, as -> list[int] or with a dataclass; or return it in get_accumulator_type, as "
                "'ROW<total BIGINT, n BIGINT>'; or unset 'execution.checkpointing.dir'.",
            )
