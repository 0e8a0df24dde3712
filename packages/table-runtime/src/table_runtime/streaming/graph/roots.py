"""The graph and the sinks below the physical root of a streaming plan."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.exceptions import TableInternalError
from table_runtime.operators.operator import Operator
from table_runtime.operators.sink import Sink
from table_runtime.streaming.graph.graph_run import Graph, GraphOutput
from table_runtime.streaming.graph.statement_set import StatementSet

__all__ = ["graph_of", "sinks_of"]


def graph_of(root: Operator) -> Graph:
    """Returns the graph of a streaming plan's physical root."""
    operator = root.inputs[0] if isinstance(root, StatementSet) else root
    while not isinstance(operator, GraphOutput):
        if len(operator.inputs) != 1:
            raise TableInternalError(f"A streaming plan ends in {operator.name}, which is no output of a graph.")
        (operator,) = operator.inputs
    return operator.graph


def sinks_of(root: Operator) -> Sequence[Sink]:
    """Returns the sinks of a plan; none if it is a query."""
    return [operator for operator in root.inputs if isinstance(operator, Sink)] if isinstance(root, StatementSet) else ()
