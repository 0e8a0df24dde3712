"""The base class of calls of an OVER window, and the rows that they get."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import Times
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable

_Positions = np.ndarray[Any, np.dtype[np.int64]]


class OverRows:
    """Rows in the order in which they are evaluated: by slot, then by time, then as they came.

    Without ``has_peers`` each row is evaluated by itself, also where times are equal.
    """

    def __init__(self, rows: pa.RecordBatch, slots: Slots, times: Times, *, has_peers: bool) -> None:
        self.rows = rows
        self.slots = slots
        self.times = times
        count = len(slots)
        is_new = np.ones(count, np.bool_)
        is_new[1:] = slots[1:] != slots[:-1]
        self.starts: _Positions = np.flatnonzero(is_new)
        """The first row of each slot."""
        self.sizes: _Positions = np.diff(np.append(self.starts, count))
        """The number of rows of each slot."""
        self.is_first_peer = np.ones(count, np.bool_)
        if has_peers:
            self.is_first_peer[1:] = is_new[1:] | (times[1:] != times[:-1])

    def __len__(self) -> int:
        return len(self.slots)

    def last_peers(self) -> _Positions:
        """Returns for each row the last row of the same slot and time."""
        firsts = np.flatnonzero(self.is_first_peer)
        sizes = np.diff(np.append(firsts, len(self)))
        return np.repeat(firsts + sizes - 1, sizes)


class CallState(ABC):
    """The state of calls, by the slots of the partitions."""

    @abstractmethod
    def tables(self) -> Mapping[str, StateTable]:
        """Returns the tables of the state, with room for all partitions."""


S = TypeVar("S", bound=CallState)


class OverCalls(ABC, Generic[S]):
    """Some calls of an OVER window; holds no state of a run."""

    columns: tuple[int, ...]
    """The positions of the calls among all calls of the window."""

    @abstractmethod
    def create_state(self, context: ExecutionContext, keys: KeySlots) -> S:
        """Returns the empty state of a run."""

    @abstractmethod
    def results(self, rows: OverRows, state: S) -> Sequence[pa.Array]:
        """Returns the results of each call for the next rows."""


AnyCalls = OverCalls[Any]
