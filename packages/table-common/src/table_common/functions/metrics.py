"""Metrics of a function: counters, gauges, meters, distributions and histograms, by name, in groups (PyFlink's ``MetricGroup``).

Each metric reports its change since the last report (``take_change``), so that the changes of many workers can be merged.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

from table_common.annotation import override
from table_common.exceptions import ValidationException

_M = TypeVar("_M", bound="Metric")


class Metric(ABC):
    """The base of all metrics."""

    kind: ClassVar[str]

    @abstractmethod
    def take_change(self) -> Any:
        """Returns the change since the last call, or None if there is none."""


class Counter(Metric):
    """A number that can be incremented and decremented."""

    kind = "counter"

    def __init__(self) -> None:
        self._count = 0
        self._reported = 0

    def inc(self, n: int = 1) -> None:
        """Adds to the number."""
        self._count += n

    def dec(self, n: int = 1) -> None:
        """Subtracts from the number."""
        self._count -= n

    def get_count(self) -> int:
        """Returns the number."""
        return self._count

    @override
    def take_change(self) -> int | None:
        """Returns the change of the number."""
        change, self._reported = self._count - self._reported, self._count
        return change or None


class Gauge(Metric):
    """A value that a function computes on request."""

    kind = "gauge"

    def __init__(self, tell: Callable[[], Any]) -> None:
        self._tell = tell

    @override
    def take_change(self) -> Any:
        """Returns the current value."""
        return self._tell()


class Meter(Metric):
    """The rate of events per second."""

    kind = "meter"

    def __init__(self, time_span_in_seconds: int = 60) -> None:
        self._span = time_span_in_seconds
        self._events: deque[tuple[float, int]] = deque()
        self._count = 0
        self._reported = 0
        self._first = self._last = 0.0

    def mark_event(self, value: int = 1) -> None:
        """Records events at the current time."""
        now = time.time()
        self._count += value
        self._first = self._first or now
        self._last = now
        self._events.append((now, value))
        while now - self._events[0][0] > self._span:
            self._events.popleft()

    def get_count(self) -> int:
        """Returns the number of events."""
        return self._count

    def get_rate(self) -> float:
        """Returns events per second, over the meter's time span."""
        now = time.time()
        return sum(value for at, value in self._events if now - at <= self._span) / self._span

    @override
    def take_change(self) -> tuple[int, float, float] | None:
        """Returns the new events, and the times in seconds since 1970 of the first and the last of all."""
        change, self._reported = self._count - self._reported, self._count
        return (change, self._first, self._last) if change else None


class Distribution(Metric):
    """Sum, count, minimum and maximum of the recorded values."""

    kind = "distribution"

    def __init__(self) -> None:
        self.sum = 0
        self.count = 0
        self.min: int | None = None
        self.max: int | None = None
        self._reported = (0, 0)

    def update(self, value: int) -> None:
        """Notes a value."""
        self.sum += value
        self.count += 1
        self.min = value if self.min is None or value < self.min else self.min
        self.max = value if self.max is None or value > self.max else self.max

    @override
    def take_change(self) -> tuple[int, int, int | None, int | None] | None:
        """Returns the changes of sum and count, and the minimum and maximum of all values."""
        total, count = self._reported
        self._reported = (self.sum, self.count)
        return (self.sum - total, self.count - count, self.min, self.max) if self.count != count else None


class Histogram(Metric):
    """The last recorded values, for quantiles."""

    kind = "histogram"
    SIZE = 1024

    def __init__(self) -> None:
        self._values: deque[float] = deque(maxlen=self.SIZE)
        self._fresh: deque[float] = deque(maxlen=self.SIZE)
        self._count = 0
        self._reported = 0

    def update(self, value: float) -> None:
        """Notes a value."""
        self._count += 1
        self._values.append(value)
        self._fresh.append(value)

    def get_count(self) -> int:
        """Returns the number of recorded values."""
        return self._count

    def get_quantile(self, quantile: float) -> float | None:
        """Returns the quantile of the last values; None without values."""
        ordered = sorted(self._values)
        return ordered[min(int(quantile * len(ordered)), len(ordered) - 1)] if ordered else None

    @override
    def take_change(self) -> tuple[int, list[float]] | None:
        """Returns the number of new values, and the last of them."""
        change, self._reported = self._count - self._reported, self._count
        values = list(self._fresh)
        self._fresh.clear()
        return (change, values) if change else None


class MetricGroup:
    """Metrics and nested groups by name; a second call with the same name returns the same object.

    Source: Flink's ``org.apache.flink.metrics.MetricGroup``.

    Example:
        >>> group = MetricGroup()
        >>> group.add_group("parser").counter("errors").inc()
        >>> group.take_changes()
        {'parser.errors': ('counter', 1)}
    """

    def __init__(self, name: str = "", parent: MetricGroup | None = None) -> None:
        self.name = name
        self.parent = parent
        self.metrics: dict[str, Metric] = {}
        self.groups: dict[str, MetricGroup] = {}

    def add_group(self, name: str, extra: str | None = None) -> MetricGroup:
        """Returns the group of that name, or with ``extra`` the group of that name in it."""
        group = self.groups.setdefault(name, MetricGroup(name, self))
        return group if extra is None else group.add_group(extra)

    def get_metric_identifier(self, metric_name: str) -> str:
        """Returns the qualified name of a metric: the names of its groups and its own, joined by dots."""
        inner = f"{self.name}.{metric_name}" if self.name else metric_name
        return self.parent.get_metric_identifier(inner) if self.parent is not None else inner

    def counter(self, name: str) -> Counter:
        """Returns the counter of that name."""
        return self._metric(name, Counter())

    def gauge(self, name: str, obj: Callable[[], int]) -> Gauge:
        """Registers a function that returns the current value."""
        return self._metric(name, Gauge(obj), is_new=True)

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """Returns the meter of that name."""
        return self._metric(name, Meter(time_span_in_seconds))

    def distribution(self, name: str) -> Distribution:
        """Returns the distribution of that name."""
        return self._metric(name, Distribution())

    def histogram(self, name: str) -> Histogram:
        """Returns the histogram of that name."""
        return self._metric(name, Histogram())

    def take_changes(self) -> dict[str, tuple[str, Any]]:
        """Returns the changes of all metrics in the group and its nested groups since the last call: kind and change, by identifier."""
        return {name: (metric.kind, change) for name, metric in self._all("") if (change := metric.take_change()) is not None}

    def _all(self, prefix: str) -> Iterator[tuple[str, Metric]]:
        for name, metric in self.metrics.items():
            yield f"{prefix}{name}", metric
        for name, group in self.groups.items():
            yield from group._all(f"{prefix}{name}.")

    def _metric(self, name: str, made: _M, *, is_new: bool = False) -> _M:
        found = made if is_new else self.metrics.get(name, made)
        if not isinstance(found, type(made)):
            raise ValidationException(f"The metric '{self.get_metric_identifier(name)}' is a {found.kind}, not a {made.kind}.")
        self.metrics[name] = found
        return found
