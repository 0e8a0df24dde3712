"""The physical plan of a streaming statement: the graph of the embedded engine, and the levels in which Spark runs it."""

from __future__ import annotations

from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_runtime.run import Operator
from table_runtime.streaming import describe_graph, describe_levels, graph_of, levels_of


def explain_stream(root: Operator, configuration: ReadableConfig) -> str:
    """Returns the plan as text.

    Raises:
        TableException: the graph cannot run in levels.
    """
    graph = graph_of(root)
    count = configuration.get_optional(ExecutionConfigOptions.TABLE_EXEC_SPARK_STATE_SHARES)
    shares = "a task per share, as many as Spark's parallelism" if count is None else f"{count} {'share' if count == 1 else 'shares'}"
    levels = describe_levels(graph, levels_of(root, graph, count or 2), shares)
    return f"{describe_graph(root)}\n\nOne Spark job per epoch, with the net changes of the epoch (NET):\n{levels}"
