"""The options of a job's checkpoints, and its names in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from table_common.configuration import CheckpointingOptions, ExecutionConfigOptions, ReadableConfig, StateRecoveryOptions
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import dataclass
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.scan_arrow import ScanArrow
from table_runtime.operators.scan_offsets import ScanOffsets
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.graph.graph import Graph, Node
from table_runtime.streaming.job.job_layout import CheckpointSettings, JobNames
from table_runtime.streaming.job.operator_ids import places_of
from table_runtime.streaming.job.recovery import RecoveryMode
from table_runtime.streaming.job.state_conversion import table_types
from table_runtime.streaming.state.snapshots import KEYS

__all__ = ["Checkpointing", "names_of"]

_SECOND = timedelta(seconds=1)


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
            if source.is_endless and isinstance(scan, ScanArrow) and not isinstance(scan, ScanOffsets):
                raise TableException(
                    f"The source of {scan.table} does not end and has no offsets, so a job with checkpoints cannot go on behind one.",
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


def names_of(graph: Graph, sinks: Sequence[str]) -> JobNames:
    """Returns the names of a job's sources, operators and sinks."""
    operators = _numbered(node.operator.name for node in graph.nodes)
    signatures = {
        name: signature for name, node in zip(operators, graph.nodes, strict=True) if (signature := _signature_of(node)) is not None
    }
    sources = _numbered(source.table or "VALUES" for source in graph.sources)
    places = places_of(graph, sinks)
    return JobNames(
        sources,
        operators,
        _numbered(sinks),
        graph.nodes,
        signatures,
        dict(zip(operators, places, strict=True)),
        {name: Scan(source.asked, ", ".join(source.schema.names)) for name, source in zip(sources, graph.sources, strict=True)},
    )


def _signature_of(node: Node) -> Mapping[str, Any] | None:
    """Returns what an operator keeps, with the columns of its tables; None if it keeps no rows."""
    state = node.operator.create_state(ExecutionContext()) if node.signature is not None else None
    if node.signature is None or state is None or state.keys is None:
        return None
    tables = {name: list(map(str, types)) for name, types in table_types(state).items()}
    return {**node.signature, "tables": {KEYS: list(map(str, state.keys.types)), **tables}}


def _numbered(names: Iterable[str]) -> list[str]:
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        result.append(f"{name}#{seen[name]}")
        seen[name] += 1
    return result
