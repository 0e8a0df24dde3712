"""Tests for table_runtime.streaming.operators.operator_metrics."""

from __future__ import annotations

from table_runtime.streaming.operators.operator_metrics import OperatorMetrics


def test_a_metric_without_value_is_not_reported() -> None:
    metrics = OperatorMetrics()
    assert dict(metrics.values()) == {"numRecordsIn": 0, "numLateRecordsDropped": 0, "numRetractionsIgnored": 0}
    metrics.watermark = -5
    assert dict(metrics.values())["currentInputWatermark"] == -5


def test_only_counters_above_zero_are_losses() -> None:
    metrics = OperatorMetrics()
    metrics.rows_in = 9
    assert list(metrics.losses()) == []
    metrics.ignored_retractions = 3
    ((loss, count),) = metrics.losses()
    assert (loss.of(count), loss.sentence("Join", 1)) == (
        "3 retractions ignored",
        "Join ignored 1 retraction: there was no such row or value to retract.",
    )
