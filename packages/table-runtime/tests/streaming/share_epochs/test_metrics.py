"""What tasks have counted, added up."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_runtime.run.job_metrics import JobMetrics
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.share_epochs.epoch_progress import EpochProgress
from table_runtime.streaming.share_epochs.metrics import StreamMetrics
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.shared_job import SharedJobState, SourceProgress, SplitProgress


class Scan:
    schema = pa.schema([("n", pa.int32())])
    is_bounded = True

    def details(self) -> str:
        return "a scan"


def test_rows_of_splits_and_tasks_of_shares_are_counted_on_from_a_manifest() -> None:
    scan: Any = Scan()
    graph = Graph([Source(scan, Scan.schema, False, table="t")])
    layout = layout_of(graph, [])
    metrics, progress = JobMetrics(), EpochProgress("job", "run", "name", ["t"], [], [])
    counted = StreamMetrics(graph, layout, metrics, progress, {"t#0": {"numRecordsOut": 5}, "Shares": {"numStatesRead": 2}})
    notes = [
        Note(0, 0, 1, source=0, rows_read=3, rows_ignored=1),
        Note(0, 1, 1, source=0, rows_read=4),
        Note(1, 0, 1, token="a", is_mapped=True),
    ]
    counted.count(
        [*notes, Note(1, 1, 1, token="b"), Note(1, 2, 1)], SharedJobState((SourceProgress({"s": SplitProgress({0: (1, 7, 3)})}),))
    )
    values = metrics.values()
    assert values["Source[1].numRecordsOut"] == 12
    assert (values["Shares.numStatesMapped"], values["Shares.numStatesRead"]) == (1, 3)
    assert counted.counters()["t#0"]["numRecordsOut"] == 12
