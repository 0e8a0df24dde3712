"""What lowering knows beside the node at hand: how expressions are evaluated, and the session's options."""

from __future__ import annotations

import pyarrow as pa

from table_api.operations import Operation
from table_common.arrow import to_arrow_field
from table_common.catalog import ResolvedSchema
from table_common.configuration import ReadableConfig
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType
from table_runtime.expressions import EvaluationContext

__all__ = ["LoweringContext", "arrow_schema", "node_text"]


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """One translation of a plan."""

    evaluation: EvaluationContext
    configuration: ReadableConfig = field(default_factory=ReadableConfig)
    is_bounded: bool = True
    """Whether the session is in batch mode."""
    fields: dict[tuple[str, int], tuple[pa.Field, LogicalType]] = field(default_factory=dict)
    """The Arrow fields made so far, by name and identity of the type: most columns pass through many nodes."""


def arrow_schema(schema: ResolvedSchema, context: LoweringContext) -> pa.Schema:
    """Returns the Arrow schema of a node's rows."""
    known = context.fields
    fields = []
    for column in schema.columns:
        key = column.name, id(column.data_type)
        found = known.get(key)
        if found is None:
            found = known[key] = to_arrow_field(column.name, column.data_type), column.data_type
        fields.append(found[0])
    return pa.schema(fields)


def node_text(node: Operation, *names: str) -> str:
    """Returns those of a node's details that have one of the names, as plans show them."""
    return ", ".join(str(value) for name, value in node.summary_details() if name in names)
