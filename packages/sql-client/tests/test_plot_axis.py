"""Labels of the axes of plots."""

from __future__ import annotations

import pytest

from sql_client.plot_axis import Axis


@pytest.mark.parametrize(
    ("high", "count", "labels"),
    [
        (0, 2, ["1970-01-01", "1970-01-01"]),
        (32 * 3600, 2, ["1970-01-01 00:00", "1970-01-02 08:00"]),
        (4 * 86400, 5, ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04", "1970-01-05"]),
        (86400, 3, ["1970-01-01 00:00", "1970-01-01 12:00", "1970-01-02 00:00"]),
        (90, 3, ["1970-01-01 00:00:00", "1970-01-01 00:00:45", "1970-01-01 00:01:30"]),
        (0.5, 2, ["1970-01-01 00:00:00.000", "1970-01-01 00:00:00.500"]),
    ],
)
def test_labels_are_as_exact_as_their_distance_needs(high: float, count: int, labels: list[str]) -> None:
    assert Axis(kind="timestamp").labels(0, high, count) == labels
