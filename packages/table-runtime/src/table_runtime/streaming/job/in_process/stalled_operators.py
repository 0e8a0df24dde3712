"""Which operators wait for event time, and for which tables: for the log and for metrics."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.nodes_above import nodes_above
from table_runtime.streaming.time.watermarks import END_OF_TIME

LONG_SECONDS = 60.0
"""How long a source may give no rows before operators that wait for it say so; they say it again as often."""


class WaitingOperators:
    """Looks at operators with several inputs that keep rows until the watermarks of all have reached them."""

    def __init__(self, graph: Graph, run: GraphRun) -> None:
        now = time.monotonic()
        self._run = run
        self._sources = graph.sources
        self._last_rows = [now] * len(graph.sources)
        self._told = now
        self._readers = [
            {
                node.operator.name
                for _, node, _ in nodes_above(graph.nodes, source.edges)
                if node.operator.waits_for_watermarks and node.inputs > 1
            }
            for source in graph.sources
        ]

    def has_rows(self, source: int) -> None:
        """Called when a source has given rows."""
        self._last_rows[source] = time.monotonic()

    def look(self) -> Sequence[str]:
        """Returns a sentence for each operator and source that it has waited for; logs them once in a while."""
        now = time.monotonic()
        if now - self._told < LONG_SECONDS:
            return ()
        self._told = now
        watermarks = [self._run.watermark_of(source.edges) for source in self._sources]
        known = [watermark for watermark in watermarks if watermark is not None and watermark != END_OF_TIME]
        result = []
        for number, source in enumerate(self._sources):
            watermark, silent = watermarks[number], now - self._last_rows[number]
            if watermark is None or watermark == END_OF_TIME or silent < LONG_SECONDS or watermark >= max(known):
                continue
            at = (
                "no watermark"
                if watermark == NO_WATERMARK
                else f"watermark {datetime.fromtimestamp(watermark / 1000, UTC):%Y-%m-%d %H:%M:%S}"
            )
            result += [f"{reader} waits for {source.table}: no rows for {silent:.0f} s, {at}." for reader in sorted(self._readers[number])]
        for text in result:
            logging.getLogger("table.job").warning("%s", text)
        return result
