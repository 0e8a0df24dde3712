"""The base class of streaming operators: changes are pushed in and emitted, and all state is explicit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.changelog.batch import ChangeBatch
from table_runtime.changelog.slot_groups import Slots
from table_runtime.changelog.state.snapshots import KeyedState, Truths
from table_runtime.changelog.state.state_table import StateTable
from table_runtime.operators.execution import ExecutionContext

__all__ = ["AnyOperator", "ChangelogOperator", "OperatorState", "Output"]

Output = Callable[[ChangeBatch], None]
"""Receives the changes that an operator gives, in their order."""


class OperatorState(KeyedState):
    """The state of one operator in one run: keys and tables by the slots of the keys, which can be written and read back.

    ``context`` is the run, which operators ask for cancellation while they work long; ``processing_time`` is the clock of the run in milliseconds since 1970; it stands still while a batch is processed.
    ``ignored_retractions`` counts retractions of rows that are not there, which are ignored; ``has_told_of_ignored`` says whether that
    was logged.
    """

    def __init__(self, context: ExecutionContext) -> None:
        self.context = context
        self.processing_time = 0
        self.ignored_retractions = 0
        self.has_told_of_ignored = False

    def set_time(self, now: int, *, retention: int) -> None:
        """Sets the clock; ``retention`` is how many milliseconds untouched state is kept, 0 for ever."""
        self.processing_time = now
        if retention and self.keys is not None:
            self.keys.now = now

    def expire(self, limit: int) -> bool:
        """Whether keys were not touched at ``limit`` or later: the state has to be rebuilt without them. May remove state itself instead."""
        keys = self.keys
        # Differs from Flink: an aggregate without GROUP BY never expires, so that a quiet hour does not set a total to 0.
        return keys is not None and bool(keys.types) and bool((keys.times[: keys.size] < limit).any())

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return np.ones(len(slots), np.bool_)


S = TypeVar("S", bound=OperatorState)


class ChangelogOperator(ABC, Generic[S]):
    """A node of a streaming graph.

    It holds no state of a run, can be pickled, and knows no driver: all that it keeps between batches is in the state that
    ``create_state`` returns. ``process`` touches the state of the keys in the batch and nothing else. What it gives does not depend on
    where the batches of its input are cut.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    @property
    def name(self) -> str:
        """The operator's name in plans."""
        return type(self).__name__

    def details(self) -> str:
        """Returns what a plan shows in the operator's parentheses."""
        return ""

    def __str__(self) -> str:
        return f"{self.name}({self.details()})"

    @abstractmethod
    def create_state(self, context: ExecutionContext) -> S:
        """Returns the empty state of a run."""

    def start(self, state: S, out: Output) -> None:  # most operators give nothing before their first input
        """Called once, before the first batch."""

    @abstractmethod
    def process(self, batch: ChangeBatch, input_index: int, state: S, out: Output) -> None:
        """Processes a batch of one input; passes the changes that follow to ``out``, in the order of the rows."""

    def on_watermark(self, watermark: int, state: S, out: Output) -> None:  # most operators do not wait for event time
        """Called when event time has reached ``watermark`` in all inputs."""

    def end_of_input(self, input_index: int, state: S, out: Output) -> None:  # most operators have given everything before
        """Called when an input has ended."""

    def is_finished(self, state: S) -> bool:
        """Whether no further input can change the result, as of a LIMIT that is filled."""
        return False


AnyOperator = ChangelogOperator[Any]
"""An operator with any type of state."""
