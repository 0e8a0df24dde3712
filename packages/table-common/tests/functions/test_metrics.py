from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.functions.metrics import Counter, Distribution, Gauge, Histogram, Meter, MetricGroup


def test_a_counter_reports_its_change_since_the_last_report() -> None:
    counter = Counter()
    counter.inc()
    counter.inc(4)
    counter.dec(2)
    assert (counter.get_count(), counter.take_change(), counter.take_change()) == (3, 3, None)
    counter.dec()
    assert counter.take_change() == -1


def test_a_meter_counts_events_and_their_rate_over_its_span() -> None:
    meter = Meter(time_span_in_seconds=60)
    meter.mark_event()
    meter.mark_event(59)
    assert meter.get_count() == 60
    assert meter.get_rate() == 1.0
    change = meter.take_change()
    assert change is not None
    count, first, last = change
    assert count == 60
    assert first <= last
    assert meter.take_change() is None


def test_a_distribution_reports_changes_of_sum_and_count_and_the_extremes_of_all() -> None:
    distribution = Distribution()
    distribution.update(5)
    distribution.update(1)
    assert distribution.take_change() == (6, 2, 1, 5)
    distribution.update(3)
    assert distribution.take_change() == (3, 1, 1, 5)
    assert distribution.take_change() is None


def test_a_histogram_has_quantiles_of_the_last_values() -> None:
    histogram = Histogram()
    assert histogram.get_quantile(0.5) is None
    for value in range(1, 101):
        histogram.update(value)
    assert histogram.get_count() == 100
    assert histogram.get_quantile(0.0) == 1
    assert histogram.get_quantile(1.0) == 100


def test_a_gauge_reports_its_current_value() -> None:
    values = [1]
    gauge = Gauge(lambda: values[0])
    assert gauge.take_change() == 1
    values[0] = 7
    assert gauge.take_change() == 7


def test_a_second_call_with_the_same_name_returns_the_same_metric_and_group() -> None:
    group = MetricGroup()
    assert group.counter("rows") is group.counter("rows")
    assert group.add_group("parser") is group.add_group("parser")


def test_identifiers_join_the_names_of_groups() -> None:
    group = MetricGroup()
    inner = group.add_group("kind", "json")
    assert inner.get_metric_identifier("errors") == "kind.json.errors"


def test_changes_of_nested_groups_are_taken_by_identifier() -> None:
    group = MetricGroup()
    group.counter("rows").inc(2)
    group.add_group("json").counter("errors").inc()
    assert group.take_changes() == {"rows": ("counter", 2), "json.errors": ("counter", 1)}
    assert group.take_changes() == {}


def test_a_name_is_of_one_kind() -> None:
    group = MetricGroup()
    group.counter("rows")
    with pytest.raises(ValidationException, match="'rows' is a counter, not a meter"):
        group.meter("rows")
