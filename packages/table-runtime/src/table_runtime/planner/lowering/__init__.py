"""From logical nodes to physical operators, one file per node; importing this package fills the registry."""

from table_runtime.planner.lowering import (
    aggregate,
    collect,
    distinct,
    filter,  # noqa: A004  # named for its node
    join,
    project,
    set,  # noqa: A004  # named for its node
    sink,
    sort,
    source,
    values,
)
from table_runtime.planner.lowering.dispatch import UNSUPPORTED, LoweringContext, lower
from table_runtime.planner.lowering.sink import sink_refusal
from table_runtime.planner.lowering.source import source_refusal
from table_runtime.planner.lowering.tree import lower_all

__all__ = ["UNSUPPORTED", "LoweringContext", "lower", "lower_all", "sink_refusal", "source_refusal"]
