"""What one operator counts in one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Loss:
    """What a counter above 0 means for the result: ``verb`` and a number of ``one`` or ``many``, and ``reason``."""

    one: str
    many: str
    verb: str
    reason: str

    def of(self, count: int) -> str:
        """Returns the count in words, such as "2 late rows dropped"."""
        return f"{self._counted(count)} {self.verb}"

    def sentence(self, operator: str, count: int) -> str:
        """Returns a warning."""
        return f"{operator} {self.verb} {self._counted(count)}: {self.reason}"

    def _counted(self, count: int) -> str:
        return f"{count:,} {self.one if count == 1 else self.many}"


_LATE = Loss(
    "late row",
    "late rows",
    "dropped",
    "the watermark had reached their time when they came. A longer delay in the WATERMARK would keep them.",
)
_IGNORED = Loss("retraction", "retractions", "ignored", "there was no such row or value to retract.")


def _metric(name: str, loss: Loss | None = None, *, default: int | None = 0) -> Any:
    return field(default=default, metadata={"name": name, "loss": loss})


@dataclass(slots=True, eq=False)
class OperatorMetrics:
    """The metrics of one operator in one run. A new one is a field: its name is Flink's where Flink has it, and ``loss`` makes it a warning."""

    rows_in: int = _metric("numRecordsIn")
    late_rows: int = _metric("numLateRecordsDropped", _LATE)
    ignored_retractions: int = _metric("numRetractionsIgnored", _IGNORED)
    state_bytes: int | None = _metric("stateBytes", default=None)
    """How much memory the state took when it was measured last; None is not reported."""
    watermark: int | None = _metric("currentInputWatermark", default=None)
    """The least watermark of the inputs, in milliseconds since 1970; None is not reported."""

    def values(self) -> Iterator[tuple[str, int]]:
        """Yields name and value of each metric."""
        for name, metadata in _METRICS:
            value = getattr(self, name)
            if value is not None:
                yield metadata["name"], value

    def counters(self) -> dict[str, int]:
        """Returns what counts, by name: it is part of a checkpoint."""
        return {metadata["name"]: getattr(self, name) for name, metadata in _COUNTERS}

    def count_on(self, counters: Mapping[str, int]) -> None:
        """Counts on from the values of a checkpoint."""
        for name, metadata in _COUNTERS:
            setattr(self, name, counters.get(metadata["name"], 0))

    def add_counters(self, counters: Mapping[str, int]) -> None:
        """Adds what another run of the operator has counted."""
        for name, metadata in _COUNTERS:
            setattr(self, name, getattr(self, name) + counters.get(metadata["name"], 0))

    def losses(self) -> Iterator[tuple[Loss, int]]:
        """Yields the counters above 0 that mean a loss of rows."""
        for name, metadata in _METRICS:
            if metadata["loss"] is not None and (value := getattr(self, name)):
                yield metadata["loss"], value


_FIELDS = OperatorMetrics.__dataclass_fields__  # type: ignore[attr-defined,unused-ignore]
_METRICS = tuple((name, each.metadata) for name, each in _FIELDS.items())
_COUNTERS = tuple((name, each.metadata) for name, each in _FIELDS.items() if each.default == 0)
