"""Maintenance of state during a run: removes expired state and reclaims the memory of ended keys."""

from __future__ import annotations

import time

import numpy as np

from table_runtime.changelog.operator import AnyOperator, OperatorState
from table_runtime.operators.execution import ExecutionContext

__all__ = ["StateUpkeep"]

_CHECKS = 16
"""Number of checks per retention period: state is removed at most a sixteenth of the period late, unless checks take long."""
_MOST_TIME = 20
"""Minimum interval between two checks, as a multiple of the duration of the last one."""
_FEW = 4096
"""Number of ended keys up to which their memory is not reclaimed."""


class StateUpkeep:
    """The upkeep of the state of one operator: ``retention`` is how many milliseconds state is kept that is not touched, 0 for ever.

    State is rebuilt from a snapshot in memory, without the keys that expired or ended.
    """

    def __init__(self, operator: AnyOperator, retention: int, context: ExecutionContext) -> None:
        self._operator = operator
        self._retention = retention
        self._context = context
        self._next_check = 0
        self._next_size = 2 * _FEW

    def before_batch(self, state: OperatorState, now: int) -> OperatorState:
        """Sets the clock of a state to ``now``, in milliseconds; returns the state without what has expired by then."""
        state.set_time(now, retention=self._retention)
        keys = state.keys
        if keys is None:
            return state
        if self._retention and now >= self._next_check:
            began = time.monotonic()
            limit = now - self._retention
            if state.expire(limit):
                state = self._rebuilt(state, limit)
            took = int(1000 * (time.monotonic() - began))
            self._next_check = now + max(1, self._retention // _CHECKS, _MOST_TIME * took)
        if keys.size >= self._next_size:
            live = int(np.count_nonzero(state.is_live(np.arange(keys.size))))
            if live <= keys.size // 2:
                state = self._rebuilt(state, None)
            self._next_size = 2 * max(_FEW, live)
        return state

    def _rebuilt(self, state: OperatorState, touched_since: int | None) -> OperatorState:
        result: OperatorState = self._operator.create_state(self._context)
        result.set_time(state.processing_time, retention=self._retention)
        result.restore([state.snapshot(touched_since=touched_since)])
        if result.keys is not None:
            result.keys.forget_touched()  # the next snapshot is whole: it leaves out what expired
        result.ignored_retractions, result.has_told_of_ignored = state.ignored_retractions, state.has_told_of_ignored
        return result
