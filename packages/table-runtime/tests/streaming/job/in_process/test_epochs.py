from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from table_runtime.streaming.job.in_process.epochs import QueryEpochs, UncheckpointedEpochs
from table_runtime.streaming.job.in_process.writer import EndOfEpoch, WriterThread


class Writer:
    """Records the ends of epochs."""

    def __init__(self) -> None:
        self.ends: list[EndOfEpoch] = []
        self.ending_epochs = 0
        self.finished = False

    def end_epoch(self, end: EndOfEpoch) -> None:
        self.ends.append(end)

    def finish(self) -> None:
        self.finished = True


def loop(committed: list[Any]) -> Any:
    reader = SimpleNamespace(commit=committed.append)
    inputs = [SimpleNamespace(position={"offset": 7}, reader=reader), SimpleNamespace(position={"rows": 3}, reader=reader)]
    return SimpleNamespace(inputs=inputs, run=SimpleNamespace(output_watermarks=lambda: [None]))


def test_epochs_are_counted_and_offsets_are_committed_behind_them() -> None:
    writer, committed = Writer(), list[Any]()
    epochs = UncheckpointedEpochs(0.0, cast("WriterThread", writer), [])
    assert epochs.is_due
    epochs.rows = 5
    epochs.end(loop(committed))
    assert epochs.rows == 0
    epochs.finish(loop(committed))
    assert [end.epoch.number for end in writer.ends] == [0, 1]
    assert writer.finished
    assert committed == []
    writer.ends[0].committed()
    assert committed == [7]


def test_an_epoch_goes_on_while_the_one_before_is_committed() -> None:
    writer = Writer()
    writer.ending_epochs = 1
    UncheckpointedEpochs(0.0, cast("WriterThread", writer), []).end(loop([]))
    assert writer.ends == []


def test_a_query_has_no_epochs() -> None:
    epochs = QueryEpochs()
    assert not epochs.is_due
    epochs.finish(loop([]))
