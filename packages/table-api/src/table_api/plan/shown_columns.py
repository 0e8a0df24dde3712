"""Columns of a plan node as a user knows them, for messages: a column without a name of the program's own is the expression that it is computed from."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, QueryOperation, SortQueryOperation
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up

_LONGEST = 80
_SAME_COLUMNS = FilterQueryOperation, SortQueryOperation


def shown_columns(operation: QueryOperation) -> tuple[str, ...]:
    """Returns the text of each column of an operation: its name, or the expression of a column that the plan names (``$f0``).

    Example:
        >>> table = env.from_elements([(7, 2)], ["id", "amount"])
        >>> query = table.group_by(col("id") % 2).select(col("amount").sum)
        >>> shown_columns(query._operation.child.child)
        ('MOD(id, 2)', 'amount')
    """
    while isinstance(operation, _SAME_COLUMNS):
        operation = operation.child
    names = operation.resolved_schema.column_names
    if not isinstance(operation, ProjectQueryOperation) or not any(name.startswith("$") for name in names):
        return tuple(names)
    below = shown_columns(operation.child)
    texts = (shown_text(expression, below) for expression in operation.projection)
    return tuple(text if name.startswith("$") else name for name, text in zip(names, texts, strict=True))


def shown_text(expression: ResolvedExpression, columns: Sequence[str]) -> str:
    """Returns the text of an expression in messages; ``columns`` are the texts of the columns that it refers to.

    Example:
        >>> table = env.from_elements([(7, 2)], ["id", "amount"]).select(col("id") % 2)
        >>> shown_text(table._operation.projection[0], ["number", "amount"])
        'MOD(number, 2)'
    """

    def named(node: ResolvedExpression) -> ResolvedExpression:
        return replace(node, name=columns[node.field_index]) if isinstance(node, FieldReferenceExpression) else node

    from table_api.operations.sql_text.block import bare  # only an error needs it

    text = bare(str(transform_up(expression, ResolvedExpression, named)))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
