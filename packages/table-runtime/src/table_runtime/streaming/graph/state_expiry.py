"""Maintenance of state during a run: removes expired state and reclaims the memory of ended keys."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.operators.operator import AnyOperator, OperatorState

_CHECKS = 16
"""Number of checks per retention period: the memory of expired state is reclaimed a sixteenth of the period late, unless checks take long."""
_MOST_TIME = 20
"""Minimum interval between two checks, as a multiple of the duration of the last one."""
_FEW = 1 << 11
"""Number of ended keys up to which their memory is not reclaimed."""
_MANY = 1 << 16
"""Number of ended keys up to which their memory is reclaimed only every ``_RECLAIM_MILLISECONDS``: a state of few keys that end soon would be rebuilt for each few batches."""
_RECLAIM_MILLISECONDS = 10_000


class StateExpiry:
    """Removes what has expired from the state of one operator, and reclaims its memory: ``retentions`` are how many milliseconds untouched state is kept, 0 for ever (``OperatorState.set_time``).

    State is rebuilt from a snapshot in memory, without the keys that expired or ended. Operators do not read expired state that is still there.
    """

    def __init__(self, operator: AnyOperator, retentions: Sequence[int], context: ExecutionContext) -> None:
        self._operator = operator
        self._retentions = retentions
        self._shortest = min(filter(None, retentions), default=0)
        self._context = context
        self._next_check = 0

    def note_check(self, last: int) -> None:
        """Says when expired state was looked for in the run that this one continues, so that a run of a moment does not do so again."""
        if self._shortest:
            period = max(1, self._shortest // _CHECKS)
            self._next_check = (last // period + 1) * period

    def before_batch(self, state: OperatorState, now: int) -> OperatorState:
        """Sets the clock of a state to ``now``, in milliseconds; returns the state without what has expired by then."""
        state.set_time(now, self._retentions)
        keys = state.keys
        if keys is None:
            return state
        if self._shortest and now >= self._next_check:
            began = time.monotonic()
            if state.expire():
                state = self._rebuilt(state)
            took = int(1000 * (time.monotonic() - began))
            self._next_check = now + max(1, self._shortest // _CHECKS, _MOST_TIME * took)
        if keys.size >= max(2 * _FEW, state.next_size) and (keys.size >= 2 * _MANY or now >= state.next_reclaim):
            slots = np.arange(keys.size)
            live = int(np.count_nonzero(state.is_live(slots) & keys.is_there(slots)))
            if live <= keys.size // 2:
                state = self._rebuilt(state)
            # Kept with the state: another run may continue with it.
            state.next_size = 2 * max(_FEW, live)
            state.next_reclaim = now + _RECLAIM_MILLISECONDS
        return state

    def _rebuilt(self, state: OperatorState) -> OperatorState:
        result: OperatorState = self._operator.create_state(self._context)
        result.set_time(state.processing_time, self._retentions)
        result.restore([state.snapshot(bucket_count=1)])
        if result.keys is not None:
            result.keys.forget_touched()  # the next snapshot is whole: it leaves out what expired
        result.count_on(state)
        return result
