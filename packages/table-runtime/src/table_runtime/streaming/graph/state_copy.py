"""A snapshot of the state of a run that is taken in pieces, so that the graph never stops for long."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.state.snapshots import Snapshot, joined

_STEP_SECONDS = 0.1
"""How long a step may take, about."""
_PIECE_SECONDS = 0.03
"""How long the copy of a piece should take."""
_AS_LONG = 0.75
"""The share of the time of a piece that half as many keys take if most of the time does not depend on their number."""
_PIECES_AS_SLOW = 2
_LEAST_KEYS, _MOST_KEYS = 512, 1 << 16
"""How many keys a piece has."""
_FIRST_KEYS = 1 << 15


class CopiedState:
    """The state of one operator: in rounds, the oldest first, of which later ones have the keys that were touched meanwhile."""

    def __init__(self, rounds: Sequence[Sequence[Snapshot]]) -> None:
        self._rounds = rounds

    def snapshots(self) -> Iterator[Snapshot]:
        """Yields a snapshot per round; the pieces of a round have different keys."""
        for pieces in self._rounds:
            yield joined(pieces)


class StateCopy:
    """Keys are copied in steps between pushes; then those that were touched since, again in steps while they become fewer; the rest at once by ``finish``. Few keys take no step.

    The snapshot is that of the moment of ``finish``: what was copied before counts only for keys that were not touched since. A state that is rebuilt meanwhile is copied anew.
    A state whose pieces take as long as the whole, such as that of COUNT(DISTINCT …) for groups of many values each, is copied at once.
    """

    def __init__(self, states: Sequence[OperatorState], *, changes_only: bool) -> None:
        """``states`` are those of a run, which may replace them in the sequence."""
        self._states = states
        self._copies = [_OperatorCopy(state, changes_only=changes_only) for state in states]
        self._keys = _FIRST_KEYS
        self._round = self._left

    def step(self) -> bool:
        """Copies pieces for a while; returns whether the rest is small, or would not become smaller."""
        began = time.monotonic()
        self._follow()
        while not self._is_nearly_done():
            self._copy_piece()
            if time.monotonic() - began >= _STEP_SECONDS:
                return False
        return True

    def finish(self) -> list[CopiedState]:
        """Copies the rest; returns the state of each operator as it is now."""
        self._follow()
        return [copy.finish() for copy in self._copies]

    @property
    def _left(self) -> int:
        return sum(copy.left for copy in self._copies)

    @property
    def _touched(self) -> int:
        return sum(copy.touched for copy in self._copies)

    def _is_nearly_done(self) -> bool:
        left, touched = self._left, self._touched
        if left + touched <= 2 * self._keys:
            return True
        if not left:
            if touched > self._round // 2:
                return True
            self._round = touched
            for copy in self._copies:
                copy.begin_round()
            return not self._left
        return False

    def _copy_piece(self) -> None:
        copy = next(copy for copy in self._copies if copy.left)
        count = min(self._keys, copy.left)
        began = time.thread_time()
        copy.copy(count)
        took = time.thread_time() - began
        does_not_shrink = copy.note_piece(count, took)
        if took > 2 * _PIECE_SECONDS and does_not_shrink:
            copy.copy(copy.left)
        elif took > 2 * _PIECE_SECONDS:
            self._keys = max(_LEAST_KEYS, self._keys // 2)
        elif took < _PIECE_SECONDS / 2:
            self._keys = min(_MOST_KEYS, self._keys * 2)

    def _follow(self) -> None:
        for number, state in enumerate(self._states):
            if self._copies[number].state is not state:
                self._copies[number] = _OperatorCopy(state, changes_only=False)
                self._round += self._copies[number].left


class _OperatorCopy:
    def __init__(self, state: OperatorState, *, changes_only: bool) -> None:
        self.state = state
        self._changes_only = changes_only
        keys = state.keys
        self._in_steps = keys is not None and bool(keys.types)
        self._rounds: list[list[Snapshot]] = []
        self._slots: Slots = np.zeros(0, np.int64)
        self._is_whole = True
        self._last_count, self._last_seconds = 0, 0.0
        self._as_slow = 0
        if self._in_steps:
            self._begin(changes_only=changes_only)

    @property
    def left(self) -> int:
        """The number of keys that the round has still to copy."""
        return len(self._slots)

    @property
    def touched(self) -> int:
        """The number of keys that were touched since the round began."""
        return self.state.keys.touched_count if self._in_steps and self.state.keys is not None else 0

    def copy(self, count: int) -> None:
        """Copies some of the keys."""
        slots, self._slots = self._slots[:count], self._slots[count:]
        self._rounds[-1].append(self.state.snapshot_of(slots, is_whole=self._is_whole))

    def note_piece(self, count: int, seconds: float) -> bool:
        """Notes what a piece took; returns whether two pieces, each half of the one before, took as long as that: the state looks at all of its content for each.

        One such piece may be chance, on a machine with other work.
        """
        is_as_slow = count <= self._last_count // 2 and seconds > _AS_LONG * self._last_seconds
        self._as_slow = self._as_slow + 1 if is_as_slow else 0
        self._last_count, self._last_seconds = count, seconds
        return self._as_slow >= _PIECES_AS_SLOW

    def begin_round(self) -> None:
        """Begins to copy the keys that were touched since the round before began, which is complete."""
        if self._in_steps:
            if not self._rounds[-1]:  # no keys: nothing, or a whole state that is empty
                self.copy(0)
            self._begin(changes_only=True)

    def _begin(self, *, changes_only: bool) -> None:
        self._slots, self._is_whole = self.state.take_slots(changes_only=changes_only)
        self._rounds.append([])

    def finish(self) -> CopiedState:
        """Copies the rest, and the keys that were touched since."""
        if not self._in_steps:
            return CopiedState([[self.state.snapshot(changes_only=self._changes_only)]])
        if self.left or not self._rounds[-1]:
            self.copy(self.left)
        if self.touched:
            self.begin_round()
            self.copy(self.left)
        return CopiedState(self._rounds)
