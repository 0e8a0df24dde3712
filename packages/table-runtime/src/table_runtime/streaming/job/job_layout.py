"""What a job is made of, by the names that checkpoints have for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.checkpoints.state_compatibility import OperatorId
from table_runtime.streaming.graph.graph import Graph, Node
from table_runtime.streaming.job.operator_ids import operator_ids_of
from table_runtime.streaming.job.state_conversion import table_types
from table_runtime.streaming.state.snapshots import KEYS


@dataclass(frozen=True, slots=True)
class JobLayout:
    """What a job is made of: the names in manifests of its sources, operators and sinks by number, and what they keep and are asked for."""

    sources: Sequence[str]
    operators: Sequence[str]
    sinks: Sequence[str]
    nodes: Sequence[Node]
    """The operators."""
    signatures: Mapping[str, Mapping[str, Any]]
    """What the operators keep, by their names; those that keep no rows are left out."""
    operator_ids: Mapping[str, OperatorId]
    """The identifiers of the operators, by their names."""
    scans: Mapping[str, Scan]
    """What the sources are asked for, by their names."""


def layout_of(graph: Graph, sinks: Sequence[str]) -> JobLayout:
    """Returns the layout of a job; ``sinks`` are the tables of its outputs."""
    operators = _numbered(node.operator.name for node in graph.nodes)
    signatures = {
        name: signature for name, node in zip(operators, graph.nodes, strict=True) if (signature := _signature_of(node)) is not None
    }
    sources = _numbered(source.table or "VALUES" for source in graph.sources)
    operator_ids = operator_ids_of(graph, sinks)
    return JobLayout(
        sources,
        operators,
        _numbered(sinks),
        graph.nodes,
        signatures,
        dict(zip(operators, operator_ids, strict=True)),
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
