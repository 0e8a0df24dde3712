"""From logical nodes to physical operators, one file per node; importing this package fills the registry."""

from table_runtime.planner.lowering import (
    aggregate,
    collect,
    distinct,
    filter,  # named for its node
    join,
    project,
    set,  # named for its node
    sink,
    sort,
    source,
    unnest,
    values,
    window,
)
from table_runtime.planner.lowering.dispatch import UNSUPPORTED, LoweringContext, lower
from table_runtime.planner.lowering.sink import sink_refusal
from table_runtime.planner.lowering.source import source_refusal
from table_runtime.planner.lowering.tree import lower_all

NODE_FILES = (aggregate, collect, distinct, filter, join, project, set, sink, sort, source, unnest, values, window)
"""Imported for what they register."""

__all__ = ["NODE_FILES", "UNSUPPORTED", "LoweringContext", "lower", "lower_all", "sink_refusal", "source_refusal"]
