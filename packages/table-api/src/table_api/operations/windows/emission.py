"""When group windows emit results besides at their end."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.tree import Part


@dataclass(frozen=True, slots=True)
class WindowEmission(Part):
    """Results before the end of a window, and results for late rows; all times are in milliseconds.

    ``early`` and ``late`` are the intervals by the clock at which results are emitted, from the first row on; 0 is at each row. ``early`` None: not before
    the end; ``late`` None: late rows are dropped. Otherwise rows are dropped when event time is ``lateness`` after the end.

    Source: Flink's ``org.apache.flink.table.planner.plan.utils.WindowEmitStrategy``.
    """

    early: int | None
    late: int | None
    lateness: int

    @override
    def __str__(self) -> str:
        texts = [
            f"{name} no delay" if delay == 0 else f"{name} delay {delay} millisecond"
            for name, delay in (("early", self.early), ("late", self.late))
            if delay is not None
        ]
        return ", ".join(texts)
