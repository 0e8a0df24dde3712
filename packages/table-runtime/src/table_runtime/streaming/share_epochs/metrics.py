"""What a streaming job in shares counts: the notes of its tasks, added up in the client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from table_runtime.run.job_metrics import JobMetrics
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.source_metrics import SourceMetrics
from table_runtime.streaming.operators.operator_metrics import Loss, OperatorMetrics
from table_runtime.streaming.share_epochs.epoch_progress import EpochProgress
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.shared_job import SharedJobState

_SHARES = "Shares"


class StreamMetrics:
    """The metrics of the sources, the operators and the tasks of a job. ``count`` adds an epoch, ``counters`` is part of its manifest."""

    def __init__(
        self,
        graph: Graph,
        layout: JobLayout,
        metrics: JobMetrics,
        progress: EpochProgress,
        counters: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        """``counters`` are those of the manifest where the job begins; ``metrics`` gets those of all parts, and of ``progress``."""
        before = {} if counters is None else counters
        self._layout = layout
        self._operators = [OperatorMetrics() for _ in graph.nodes]
        for number, (node, name, own) in enumerate(zip(graph.nodes, layout.operators, self._operators, strict=True), 1):
            own.count_on(before.get(name, {}))
            metrics.add(f"{node.operator.name}[{number}]", node.operator.__str__, own)
        self._watermarks: list[Mapping[str, int]] = [{} for _ in graph.sources]
        self._sources = [SourceMetrics(lambda number=number: self._watermarks[number], dict) for number in range(len(graph.sources))]  # type: ignore[misc]
        for number, (source, name, counts) in enumerate(zip(graph.sources, layout.sources, self._sources, strict=True), 1):
            counts.count_on(before.get(name, {}))
            metrics.add(f"Source[{number}]", source.scan.details, counts)
        self._shares = _ShareMetrics(before.get(_SHARES, {}))
        metrics.add(_SHARES, lambda: _SHARES, self._shares)
        metrics.add("Epoch", lambda: "Epoch", progress)
        self.progress = progress

    def count(self, notes: Iterable[Note], after: SharedJobState) -> None:
        """Adds what the tasks of an epoch have counted; ``after`` is the state after it."""
        for note in notes:
            if note.source is not None:
                self._sources[note.source].add(note.rows_read)
                self._sources[note.source].ignored += note.rows_ignored
            elif note.token is not None:
                self._shares.add(is_mapped=note.is_mapped)
            for node, counters in note.counters.items():
                self._operators[node].add_counters(counters)
        for node, watermarks in after.watermarks.items():
            if watermarks[1] > NO_WATERMARK:
                self._operators[node].watermark = watermarks[1]
        self._watermarks = [
            {name: watermark for name, split in source.splits.items() if (watermark := split.least) > NO_WATERMARK}
            for source in after.sources
        ]

    def counters(self) -> dict[str, Mapping[str, int]]:
        """Returns what has been counted, by the names of the layout."""
        found: dict[str, Mapping[str, int]] = dict(zip(self._layout.sources, (source.counters() for source in self._sources), strict=True))
        found.update(zip(self._layout.operators, (operator.counters() for operator in self._operators), strict=True))
        found[_SHARES] = dict(self._shares.values())
        return found


class _ShareMetrics:
    """How many tasks of shares took the state of the epoch before from arrays on their machine, and how many from the files of the checkpoint."""

    def __init__(self, counters: Mapping[str, int]) -> None:
        self._mapped = counters.get("numStatesMapped", 0)
        self._read = counters.get("numStatesRead", 0)

    def add(self, *, is_mapped: bool) -> None:
        """Counts the task of a share that had something to do."""
        self._mapped += is_mapped
        self._read += not is_mapped

    def values(self) -> Iterator[tuple[str, int]]:
        """Yields name and value of each metric."""
        yield "numStatesMapped", self._mapped
        yield "numStatesRead", self._read

    def losses(self) -> Sequence[tuple[Loss, int]]:
        """Returns nothing: no rows are lost."""
        return ()
