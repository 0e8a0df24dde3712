"""Shared state of one lowering: the expression evaluation context, the planner configuration and cached Arrow fields."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import pyarrow as pa

from table_api.operations import QueryOperation
from table_common.arrow import to_arrow_field
from table_common.catalog import ResolvedSchema
from table_common.configuration import ExecutionConfigOptions, ReadableConfig, session_time_zone
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType
from table_runtime.expressions import EvaluationContext

if TYPE_CHECKING:
    from table_runtime.planner.other_scans import OtherScan
    from table_runtime.scans.runtime_filters import FilterSlot
    from table_runtime.scans.scan_files import ScanFiles


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """The state of one translation of a plan to physical operators."""

    evaluation: EvaluationContext
    configuration: ReadableConfig = field(default_factory=ReadableConfig)
    is_bounded: bool = True
    """Whether the session is in batch mode."""
    estimated_rows: Callable[[QueryOperation], float] | None = None
    """The estimated rows of nodes, where the plan shows them."""
    built_left: Collection[int] = frozenset()
    """The joins whose left input is the build side, by the identity of their nodes."""
    readers: Counter[int] = field(default_factory=Counter)
    """By the identity of a node: how many nodes read it."""
    scans: dict[int, ScanFiles] = field(default_factory=dict)
    """The scans that can use runtime filters, by the identity of their nodes."""
    slots: list[FilterSlot] = field(default_factory=list)
    """The runtime filters of the plan so far."""
    other_scan: OtherScan | None = None
    """Returns the scan of a leaf that only the engine reads that runs the plan."""
    fields: dict[tuple[str, int], tuple[pa.Field, LogicalType]] = field(default_factory=dict)
    """Cache of Arrow fields by column name and type identity: most columns pass through many nodes."""


def evaluation_now(configuration: ReadableConfig) -> EvaluationContext:
    """Returns the context of expressions of a query that starts now."""
    return EvaluationContext(
        time_zone=session_time_zone(configuration),
        query_start=time.time_ns(),
        legacy_casts=configuration.get(ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR) == "ENABLED",
        memory=configuration.get(ExecutionConfigOptions.TABLE_EXEC_MEMORY),
    )


def arrow_schema(schema: ResolvedSchema, context: LoweringContext) -> pa.Schema:
    """Returns the Arrow schema of a node's rows."""
    cache = context.fields
    fields = []
    for column in schema.columns:
        key = column.name, id(column.data_type)
        cached = cache.get(key)
        if cached is None:
            cached = cache[key] = to_arrow_field(column.name, column.data_type), column.data_type
        fields.append(cached[0])
    return pa.schema(fields)
