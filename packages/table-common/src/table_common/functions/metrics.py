"""Metrics that a function keeps: counters, meters, distributions and gauges, by name, in groups."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Counter", "Distribution", "Meter", "MetricGroup"]


class Counter:
    """A number that goes up and down."""

    def __init__(self) -> None:
        self._count = 0

    def inc(self, n: int = 1) -> None:
        """Adds to the number."""
        self._count += n

    def dec(self, n: int = 1) -> None:
        """Subtracts from the number."""
        self._count -= n

    def get_count(self) -> int:
        """Returns the number."""
        return self._count


class Meter:
    """How many events happen in a second."""

    def __init__(self, time_span_in_seconds: int = 60) -> None:
        self._span = time_span_in_seconds
        self._events: list[tuple[float, int]] = []
        self._count = 0

    def mark_event(self, value: int = 1) -> None:
        """Notes so many events now."""
        now = time.monotonic()
        self._count += value
        self._events = [event for event in self._events if now - event[0] <= self._span]
        self._events.append((now, value))

    def get_count(self) -> int:
        """Returns how many events there were."""
        return self._count

    def get_rate(self) -> float:
        """Returns events per second, over the meter's time span."""
        return sum(value for _, value in self._events) / self._span


class Distribution:
    """Sum, count, least and greatest of the values seen."""

    def __init__(self) -> None:
        self.sum = 0
        self.count = 0
        self.min: int | None = None
        self.max: int | None = None

    def update(self, value: int) -> None:
        """Notes a value."""
        self.sum += value
        self.count += 1
        self.min = value if self.min is None or value < self.min else self.min
        self.max = value if self.max is None or value > self.max else self.max


class MetricGroup:
    """Metrics and groups below, each under a name; asking twice gives the same one."""

    def __init__(self, name: str = "", parent: MetricGroup | None = None) -> None:
        self.name = name
        self.parent = parent
        self.metrics: dict[str, object] = {}
        self.groups: dict[str, MetricGroup] = {}

    def add_group(self, name: str, extra: str | None = None) -> MetricGroup:
        """Returns the group of that name, or with ``extra`` the group of that name in it."""
        group = self.groups.setdefault(name, MetricGroup(name, self))
        return group if extra is None else group.add_group(extra)

    def counter(self, name: str) -> Counter:
        """Returns the counter of that name."""
        found = self.metrics.setdefault(name, Counter())
        assert isinstance(found, Counter)
        return found

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """Returns the meter of that name."""
        found = self.metrics.setdefault(name, Meter(time_span_in_seconds))
        assert isinstance(found, Meter)
        return found

    def distribution(self, name: str) -> Distribution:
        """Returns the distribution of that name."""
        found = self.metrics.setdefault(name, Distribution())
        assert isinstance(found, Distribution)
        return found

    def gauge(self, name: str, obj: Callable[[], int]) -> None:
        """Registers a function that tells the current value."""
        self.metrics[name] = obj
