"""The details of a node of the logical plan as physical plans and messages show them."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation


def node_details(node: QueryOperation) -> str:
    """Returns the details of a node. Items of lists are written as they are, so that only text literals have quotes.

    Example:
        >>> table = env.from_elements([(7, "a")], ["id", "name"]).group_by(col("name")).select(col("name"), col("id").sum)
        >>> node_details(table._operation)
        'select=[name, $agg0 AS EXPR$0]'
    """
    return ", ".join(f"{name}={_list(value) if isinstance(value, list) else value}" for name, value in node.summary_details())


def _list(values: Sequence[object]) -> str:
    return f"[{', '.join(_list(value) if isinstance(value, list) else str(value) for value in values)}]"
