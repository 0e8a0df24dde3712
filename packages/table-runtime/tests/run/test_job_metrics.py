"""Tests for table_runtime.run.job_metrics."""

from __future__ import annotations

from table_runtime.run.execution import ExecutionContext
from table_runtime.run.job_metrics import JobMetrics
from table_runtime.streaming.operators.operator_metrics import OperatorMetrics


def of_two_operators() -> tuple[JobMetrics, OperatorMetrics, OperatorMetrics]:
    metrics, one, other = JobMetrics(), OperatorMetrics(), OperatorMetrics()
    metrics.add("Over[1]", lambda: "Over(a)", one)
    metrics.add("Join[2]", lambda: "Join(b)", other)
    return metrics, one, other


def test_values_are_named_by_operator_and_metric() -> None:
    metrics, one, _ = of_two_operators()
    one.rows_in, one.late_rows, one.watermark = 7, 2, 500
    assert metrics.values() == {
        "Over[1].numRecordsIn": 7,
        "Over[1].numLateRecordsDropped": 2,
        "Over[1].numRetractionsIgnored": 0,
        "Over[1].currentInputWatermark": 500,
        "Join[2].numRecordsIn": 0,
        "Join[2].numLateRecordsDropped": 0,
        "Join[2].numRetractionsIgnored": 0,
    }


def test_losses_are_warnings_per_operator_and_totals_in_the_summary() -> None:
    metrics, one, other = of_two_operators()
    assert (metrics.warnings(), metrics.summary()) == ([], "")
    one.late_rows, other.late_rows, other.ignored_retractions = 1, 1200, 1
    assert metrics.warnings() == [
        "Over(a) dropped 1 late row: the watermark had reached their time when they came. A longer delay in the WATERMARK would keep them.",
        "Join(b) dropped 1,200 late rows: the watermark had reached their time when they came. A longer delay in the WATERMARK would keep them.",
        "Join(b) ignored 1 retraction: there was no such row or value to retract.",
    ]
    assert metrics.summary() == "1,201 late rows dropped, 1 retraction ignored"


def test_progress_reports_losses_once_they_change() -> None:
    reports: list[tuple[str, float | None]] = []
    metrics, one, _ = of_two_operators()
    context = ExecutionContext(progress=lambda text, share: reports.append((text, share)), metrics=metrics)
    context.report("reading t", 0.5)
    context.report_losses()
    one.late_rows = 2
    context.report_losses()
    context.report_losses()
    assert reports == [("reading t", 0.5), ("reading t; 2 late rows dropped", 0.5)]
