"""What the report of an epoch says, without Spark."""

from __future__ import annotations

import json
import logging

import pytest

from table_runtime.streaming import SharedJobState
from table_runtime.streaming.share_epochs.epoch_progress import EpochProgress


@pytest.fixture
def progress() -> EpochProgress:
    return EpochProgress("job", "run", "name", ["Source"], ["Filter[1]", "GroupAggregate[2]"], ["out"])


def finish(progress: EpochProgress, number: int, state: SharedJobState) -> None:
    with progress.phase("addBatch"):
        pass
    progress.finish(number, [3], [({}, {"offset": number})], [2], state)


def test_a_report_has_what_the_epoch_read_and_wrote(progress: EpochProgress, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "table.epoch"):
        finish(progress, 7, SharedJobState((), watermarks={1: (1_000, 2_000)}))
    report = json.loads(caplog.messages[0])
    assert (report["id"], report["runId"], report["name"], report["batchId"]) == ("job", "run", "name", 7)
    assert report["sources"] == [{"description": "Source", "startOffset": {}, "endOffset": {"offset": 7}, "numInputRows": 3}]
    assert report["sinks"] == [{"description": "out", "numOutputRows": 2}]
    assert report["eventTime"] == {"watermark": "1970-01-01T00:00:01.000Z"}
    assert report["timestamp"].endswith("Z")


@pytest.mark.parametrize("watermark", [(1 << 63) - 1, -(1 << 63)])
def test_event_time_that_has_ended_or_not_begun_is_left_out(
    progress: EpochProgress, watermark: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "table.epoch"):
        finish(progress, 0, SharedJobState((), watermarks={1: (watermark,)}))
    assert json.loads(caplog.messages[0])["eventTime"] == {}


def test_nothing_is_logged_below_the_level_but_metrics_have_the_last_epoch(
    progress: EpochProgress, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "table.epoch"):
        finish(progress, 0, SharedJobState(()))
        finish(progress, 1, SharedJobState(()))
    assert not caplog.messages
    values = dict(progress.values())
    assert (values["batchId"], values["numInputRows"], values["numOutputRows"]) == (1, 3, 2)
    assert "durationMs.addBatch" in values


def test_time_without_an_epoch_does_not_count(progress: EpochProgress) -> None:
    with progress.phase("latestOffset"):
        pass
    progress.skip()
    finish(progress, 0, SharedJobState(()))
    assert "durationMs.latestOffset" not in dict(progress.values())
