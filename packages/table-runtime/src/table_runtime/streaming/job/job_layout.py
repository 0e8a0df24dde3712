"""Settings of checkpoints, and names in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.checkpoints.state_compatibility import Place
from table_runtime.streaming.graph.graph import Node

__all__ = ["CheckpointSettings", "JobNames"]


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """The options ``execution.checkpointing.*``; times are in seconds."""

    interval: float
    min_pause: float
    timeout: float
    retained: int
    tolerable_failures: int


@dataclass(frozen=True, slots=True)
class JobNames:
    """The names in manifests of what a job is made of, by number."""

    sources: Sequence[str]
    operators: Sequence[str]
    sinks: Sequence[str]
    nodes: Sequence[Node]
    """The operators."""
    signatures: Mapping[str, Mapping[str, Any]]
    """What the operators keep, by their names; those that keep no rows are left out."""
    places: Mapping[str, Place]
    """Where the operators are in the statement."""
    scans: Mapping[str, Scan]
    """What the sources are asked for, by their names."""
