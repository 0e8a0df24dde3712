"""What the operators of a job count while it runs: for its client, its progress, its warnings and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol


class LossText(Protocol):
    """What a counter above 0 means for the result."""

    def of(self, count: int) -> str:
        """Returns the count in words, such as "2 late rows dropped"."""

    def sentence(self, operator: str, count: int) -> str:
        """Returns a warning."""


class _Metrics(Protocol):
    """The metrics of one operator."""

    def values(self) -> Iterator[tuple[str, int | float]]:
        """Yields name and value of each metric."""

    def losses(self) -> Iterable[tuple[LossText, int]]:
        """Yields the counters above 0 that mean a loss of rows."""


class JobMetrics:
    """The metrics of the operators of one job. Operators count in the job's thread; the values can be read from any thread."""

    def __init__(self) -> None:
        self._operators: list[tuple[str, Callable[[], str], _Metrics]] = []

    def add(self, name: str, description: Callable[[], str], metrics: _Metrics) -> None:
        """Adds an operator: a short name, unique in the job, and its description in warnings."""
        self._operators.append((name, description, metrics))

    def clear(self) -> None:
        """Removes all operators: another attempt of the job begins."""
        self._operators.clear()

    def values(self) -> dict[str, int | float]:
        """Returns the values so far, by ``<operator>.<metric>``."""
        return {f"{name}.{metric}": value for name, _, metrics in list(self._operators) for metric, value in metrics.values()}

    def warnings(self) -> Sequence[str]:
        """Returns a sentence for each operator and each counter that means a loss of rows."""
        return [
            loss.sentence(description(), count) for _, description, metrics in list(self._operators) for loss, count in metrics.losses()
        ]

    def summary(self) -> str:
        """Returns the totals of these counters in a few words; an empty string if all are 0."""
        totals: dict[LossText, int] = {}
        for _, _, metrics in list(self._operators):
            for loss, count in metrics.losses():
                totals[loss] = totals.get(loss, 0) + count
        return ", ".join(loss.of(count) for loss, count in totals.items())
