"""Lowers a streaming plan for the workers that it gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from table_common.configuration import ReadableConfig
from table_runtime.run.operator import Operator
from table_runtime.streaming.graph.describe import describe_graph
from table_runtime.streaming.graph.statement_set import graph_of


class LoweredStream(NamedTuple):
    """A plan for ``workers`` workers; ``reason`` is why it has only one though more were asked for."""

    root: Operator
    workers: int = 1
    reason: str | None = None

    def explain(self, configuration: ReadableConfig) -> str:
        """Returns the plan as text."""
        text = describe_graph(self.root)
        if self.reason is not None:
            return f"{text}\n\nOne worker: {self.reason}."
        if self.workers == 1:
            return text
        from table_runtime.streaming.share_epochs.job_spec import levels_of  # few jobs have workers
        from table_runtime.streaming.shares.describe_levels import describe_levels

        graph = graph_of(self.root)
        levels = describe_levels(graph, levels_of(self.root, graph, self.workers), f"{self.workers} shares")
        return f"{text}\n\n{self.workers} workers, with the net changes of each epoch (NET):\n{levels}"


def lower_stream(lower: Callable[[bool | None], Operator], configuration: ReadableConfig) -> LoweredStream:
    """Returns a plan as the workers run it that the configuration asks for; ``lower`` lowers it, with net changes of each batch or as the options say (None)."""
    from table_runtime.streaming.workers.asked import asked_workers

    workers = asked_workers(configuration)
    if workers == 1:
        return LoweredStream(lower(None))
    from table_runtime.streaming.workers.refusal import refusal  # few jobs have workers

    root = lower(True)
    reason = refusal(root, workers, configuration)
    return LoweredStream(root, workers) if reason is None else LoweredStream(lower(None), 1, reason)
