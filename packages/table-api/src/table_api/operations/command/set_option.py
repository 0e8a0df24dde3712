"""SET and RESET."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class SetOptionOperation(Operation):
    """``SET 'key' = 'value'``; without a key lists the options that are set."""

    key: str | None = None
    value: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ResetOperation(Operation):
    """``RESET 'key'``; without a key puts all options back to what the environment was created with."""

    key: str | None = None
