"""OVER windows in an order that is not a time attribute, or that read rows after the current one."""

from __future__ import annotations

from table_api.expressions.unresolved import FrameBoundKind, FrameUnit
from table_api.operations.query.window import WindowCall, WindowQueryOperation
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import windows

_LOOKING_BACK = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK, windows.LAG)
_UP_TO_ROW = (FrameBoundKind.UNBOUNDED_PRECEDING, FrameBoundKind.PRECEDING, FrameBoundKind.CURRENT_ROW)


@dataclass(frozen=True, slots=True)
class UpdatingOverQueryOperation(WindowQueryOperation):
    """An OVER window that emits each row at once, and updates the rows whose results change when other rows come or go."""

    @property
    def looks_back(self) -> bool:
        """Whether a row does not change the results of rows before it in the order."""
        return all(call.function in _LOOKING_BACK if call.frame is None else call.frame.upper.kind in _UP_TO_ROW for call in self.calls)

    @property
    def has_peers(self) -> bool:
        """Whether a row changes the results of rows with an equal order key that came before it."""
        return any(_has_peers(call) for call in self.calls)

    @property
    @override
    def summary_name(self) -> str:
        return "OverAggregate"


def _has_peers(call: WindowCall) -> bool:
    return call.frame is not None and call.frame.unit is FrameUnit.RANGE
