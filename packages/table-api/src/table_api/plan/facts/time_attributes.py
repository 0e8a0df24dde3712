"""Time attributes in the columns of nodes."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import replace
from table_common.types import is_time_attribute, plain_timestamp


def has_time_attributes(node: QueryOperation) -> bool:
    """Returns whether a column of the node is a time attribute."""
    return any(is_time_attribute(column.data_type) for column in node.resolved_schema.columns)


def plain_reference(reference: FieldReferenceExpression) -> FieldReferenceExpression:
    """Returns the reference with a plain timestamp in place of a time attribute."""
    return replace(reference, output_type=plain_timestamp(reference.output_type)) if is_time_attribute(reference.output_type) else reference
