"""``JOIN t FOR SYSTEM_TIME AS OF o.proc_time``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.operations import (
    JoinQueryOperation,
    JoinType,
    LookupHint,
    QueryOperation,
    TemporalJoinQueryOperation,
    VersionedJoinQueryOperation,
    contains_subquery,
)
from table_api.resolution.scope import Scope
from table_api.sql.ast import JoinRef, TableNameRef
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.types import TIMESTAMPS, is_proctime, is_rowtime, is_time_attribute, plain_timestamp

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause
    from table_common.exceptions import SourcePosition


def temporal_join(clause: FromClause, node: JoinRef, table: TableNameRef, left: Scope, join: QueryOperation) -> QueryOperation:
    """Returns the temporal join, by processing time or event time, for an ordinary join.

    Raises:
        ValidationException: the time is not a processing-time attribute of the left side, or the join is neither INNER nor LEFT.
        TableException: the condition has a subquery.
    """
    assert table.as_of is not None
    assert isinstance(join, JoinQueryOperation)
    position = clause.converter.position(table.as_of.expression.span or table.span)
    if join.join_type not in (JoinType.INNER, JoinType.LEFT_OUTER):
        raise ValidationException(
            f"A table FOR SYSTEM_TIME AS OF needs an INNER or LEFT JOIN, but this is a {node.kind.value} JOIN.",
            position=position,
            hint="write the table whose rows are looked up first: its rows have the time, and the versions are those of the right table",
        )
    time = clause.converter.builder.resolver(left, "FOR SYSTEM_TIME AS OF").resolve(table.as_of.expression)
    is_column = isinstance(time, FieldReferenceExpression) and isinstance(time.output_type, TIMESTAMPS)
    if is_column and not is_proctime(time.output_type) and not clause.converter.session.is_streaming_mode:
        raise ValidationException(
            f"An event-time temporal join (by {time}) has no meaning in batch mode.",
            position=position,
            hint="use FOR SYSTEM_TIME AS OF a PROCTIME() column for the current rows, or join the latest version at each time with "
            "ROW_NUMBER() OVER (… ORDER BY version time DESC) and a condition on the times",
        )
    if not isinstance(time, FieldReferenceExpression) or not is_time_attribute(time.output_type):
        raise ValidationException(
            f"FOR SYSTEM_TIME AS OF needs a time attribute of the left table, but {time} is {time.output_type}.",
            position=position,
            hint="declare a column 'proc_time AS PROCTIME()' in the left table and write FOR SYSTEM_TIME AS OF o.proc_time"
            "; for versions by event time, write a column for which the left table declares a WATERMARK, as it is: an expression of it is not a time attribute",
        )
    if join.condition is not None and contains_subquery(join.condition):
        raise TableException("The condition of a join FOR SYSTEM_TIME AS OF cannot contain a subquery.", position=position)
    if is_rowtime(time.output_type):
        return _versioned_join(join, time, ".".join(table.path), position)
    names = (table.alias,) if table.alias is not None else (table.path[-1], ".".join(table.path))
    hint = clause.lookup_hints.take(names) if clause.lookup_hints is not None else LookupHint()
    return TemporalJoinQueryOperation(join.left, join.right, join.join_type, join.condition, hint)


def _versioned_join(
    join: JoinQueryOperation, time: FieldReferenceExpression, table: str, position: SourcePosition | None
) -> QueryOperation:
    """Returns the event-time temporal join for an ordinary join."""
    found = [
        FieldReferenceExpression(column.name, column.data_type, 1, number)
        for number, column in enumerate(join.right.resolved_schema.columns)
        if is_rowtime(column.data_type)
    ]
    if len(found) != 1:
        text = "has none" if not found else f"has several: {', '.join(one.name for one in found)}"
        raise ValidationException(
            f"A join FOR SYSTEM_TIME AS OF an event time needs one event-time attribute of the right table, but {table} {text}.",
            position=position,
            hint="declare WATERMARK FOR the column that says from when a row is valid; SELECT the columns without the other attributes",
        )
    (right,) = found
    if type(right.output_type) is not type(time.output_type):
        left_type, right_type = (plain_timestamp(one.output_type.with_nullability(True)) for one in (time, right))
        raise ValidationException(
            f"The times of a join FOR SYSTEM_TIME AS OF have different types: {time.name} is {left_type}, {table}.{right.name} is {right_type}.",
            position=position,
            hint=f"declare in {table}: x AS CAST({right.name} AS {left_type}), WATERMARK FOR x; "
            f"or in the left table, for {time.name}, a column with CAST AS {right_type}",
        )
    left = FieldReferenceExpression(time.name, time.output_type, 0, time.field_index)
    return VersionedJoinQueryOperation(join.left, join.right, join.join_type, join.condition, (left, right))


def refuse_time_travel(clause: FromClause, node: TableNameRef) -> None:
    """Refuses a table FOR SYSTEM_TIME AS OF that is not the right side of a join.

    Raises:
        TableException: always.
    """
    # Differs from Flink: FOR SYSTEM_TIME AS OF a constant is refused; Flink ignores it where the catalog keeps no versions.
    assert node.as_of is not None
    raise TableException(
        f"Time travel is not supported for {'.'.join(node.path)}: its catalog does not keep earlier versions of a table.",
        position=clause.converter.position(node.as_of.expression.span or node.span),
        hint="after JOIN, FOR SYSTEM_TIME AS OF a PROCTIME() column of the left table creates a lookup join",
    )
