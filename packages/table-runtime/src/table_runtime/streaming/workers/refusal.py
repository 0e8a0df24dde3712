"""Why a streaming job has only one worker."""

from __future__ import annotations

import os
from collections.abc import Sequence

from table_common.configuration import CheckpointingOptions, ExecutionConfigOptions, ReadableConfig
from table_common.exceptions import TableError, TableException
from table_runtime.run.operator import Operator
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.scans.scan_files import ScanFiles
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.graph.statement_set import OutputRows, graph_of, sinks_of
from table_runtime.streaming.share_epochs.job_spec import levels_of
from table_runtime.streaming.workers.shipping import dumps

FEW_BYTES = 16 << 20
"""Files of fewer bytes are read by one worker before others have started."""


def refusal(root: Operator, workers: int, configuration: ReadableConfig) -> str | None:
    """Returns why a plan cannot run on several workers, or is better on one; None: it runs on them."""
    graph = graph_of(root)
    if os.name != "posix":
        return "on this system processes do not inherit anonymous files"
    if graph.state_memory is not None:
        return f"'{ExecutionConfigOptions.TABLE_EXEC_STATE_MEMORY.key}' is the limit of one process"
    if any(node.operator.needs_each_change for node in graph.nodes):
        return "the statement reads each change of its input, and changes of several workers are net"
    for source in graph.sources:
        if source.is_unbounded and not isinstance(source.scan, ScanOffsets):
            return f"the source of {source.table} has no offsets"
    is_unbounded = any(source.is_unbounded for source in graph.sources)
    sinks = sinks_of(root)
    if is_unbounded and sinks and not configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY):
        return f"an unbounded INSERT on several workers needs '{CheckpointingOptions.CHECKPOINTS_DIRECTORY.key}'"
    if not is_unbounded and _are_few(graph.sources):
        return "its input is small, or in this process"
    try:
        levels_of(root, graph, workers)
    except TableException as error:
        return str(error).splitlines()[0].rstrip(".")
    return _unsendable(root, graph, is_unbounded=is_unbounded)


def _are_few(sources: Sequence[Source]) -> bool:
    """Whether bounded sources have so few rows that the start of workers takes longer; unknown sources have many."""
    size = 0
    for source in sources:
        found = _bytes_of(source.scan)
        if found is None:
            return False
        size += found
    return size < FEW_BYTES


def _bytes_of(scan: Operator) -> int | None:
    if isinstance(scan, ScanFiles):
        try:
            return scan.listed_bytes()
        except TableError:  # it is reported when the job reads
            return 0
    return None if isinstance(scan, ScanArrow) and not scan.is_in_process else 0


def _unsendable(root: Operator, graph: Graph, *, is_unbounded: bool) -> str | None:
    parts: list[tuple[object, str]] = [(node.operator, node.text or str(node.operator)) for node in graph.nodes]
    for source in graph.sources:
        if isinstance(source.scan, ScanOffsets) and not source.scan.offsets.is_in_process:
            parts.append((source.scan, f"the source of {source.table}"))
    for sink in sinks_of(root) if is_unbounded else ():
        provider = sink.epoch_provider()
        if not provider.is_local:
            parts.append(((provider, OutputRows(sink)), f"the sink of {sink.table}"))
    for value, name in parts:
        try:
            dumps(value)
        except Exception as error:  # whatever a function of the user raises
            return f"{name} cannot be sent to workers: {error}"
    return None
