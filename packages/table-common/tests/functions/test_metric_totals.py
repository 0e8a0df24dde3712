from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from table_common.functions.metric_totals import (
    add_metrics,
    function_metrics,
    merge_metrics,
    report_metrics,
    reset_function_metrics,
    set_metric_receiver,
)


@pytest.fixture(autouse=True)
def _no_totals() -> Iterator[None]:
    reset_function_metrics()
    yield
    set_metric_receiver(None)
    reset_function_metrics()


def test_changes_of_several_copies_are_added() -> None:
    add_metrics("f", {"rows": ("counter", 2)})
    add_metrics("f", {"rows": ("counter", 3), "last": ("gauge", 1)})
    add_metrics("f", {"last": ("gauge", 9)})
    assert function_metrics() == {"f": {"rows": 5, "last": 9}}


def test_a_distribution_merges_sums_counts_and_extremes() -> None:
    changes = {"d": ("distribution", (6, 2, 1, 5))}
    merge_metrics(changes, {"d": ("distribution", (10, 1, 10, 10))})
    assert changes == {"d": ("distribution", (16, 3, 1, 10))}


def test_a_meter_has_the_rate_between_the_first_and_the_last_event() -> None:
    add_metrics("f", {"m": ("meter", (10, 100.0, 102.0))})
    add_metrics("f", {"m": ("meter", (10, 98.0, 101.0))})
    assert function_metrics()["f"]["m"] == {"count": 20, "rate": 5.0}


def test_a_histogram_is_shown_with_quantiles() -> None:
    add_metrics("f", {"h": ("histogram", (100, list(range(100))))})
    assert function_metrics()["f"]["h"] == {"count": 100, "min": 0, "max": 99, "mean": 49.5, "p50": 50, "p95": 95, "p99": 99}


def test_a_receiver_gets_the_changes_instead_of_the_totals() -> None:
    received: list[tuple[str, Mapping[str, tuple[str, object]]]] = []
    set_metric_receiver(lambda function, changes: received.append((function, changes)))
    report_metrics("f", {"rows": ("counter", 1)})
    assert received == [("f", {"rows": ("counter", 1)})]
    assert function_metrics() == {}


def test_no_changes_are_not_reported() -> None:
    received: list[str] = []
    set_metric_receiver(lambda function, changes: received.append(function))
    report_metrics("f", {})
    assert received == []
