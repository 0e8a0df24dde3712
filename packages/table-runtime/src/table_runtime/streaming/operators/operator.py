"""The base class of streaming operators: changes are pushed in and emitted, and all state is explicit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision
from table_runtime.streaming.operators.operator_metrics import OperatorMetrics
from table_runtime.streaming.state.freed_memory import keep_freed_memory
from table_runtime.streaming.state.snapshots import KeyedState
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.time.watermarks import END_OF_TIME

Output = Callable[[ChangeBatch], None]
"""Receives the changes that an operator emits, in order."""


class OperatorState(KeyedState):
    """The state of one operator in one run: keys, and tables addressed by the slots of the keys; it can be saved and restored.

    ``context`` is the run; long-running operators poll it for cancellation. ``processing_time`` is the clock of the run in milliseconds since
    1970; it does not advance while a batch is processed.
    ``ended_inputs`` are the inputs that have ended. ``watermark`` is the least watermark of the inputs; ``metrics`` counts, among others, late rows and ignored retractions.
    """

    def __init__(self, context: ExecutionContext) -> None:
        keep_freed_memory()
        self.context = context
        self.processing_time = 0
        self.watermark = NO_WATERMARK
        self.ended_inputs: set[int] = set()
        self.metrics = OperatorMetrics()
        self.next_size = 0
        """From how many keys on ``StateExpiry`` looks for keys that have ended."""
        self.next_reclaim = 0
        """The time of the next such search, in milliseconds, if there are few keys."""

    def count_on(self, old: OperatorState) -> None:
        """Continues the counters and the watermark of a state that this one replaces."""
        self.watermark, self.metrics, self.ended_inputs = old.watermark, old.metrics, old.ended_inputs

    def drop_late(self, batch: ChangeBatch, times: Times, is_late: Truths | None = None) -> tuple[ChangeBatch, Times]:
        """Returns the rows that are not late, and their times; the others are counted.

        A row is late if the watermark had reached its time when it came, or where ``is_late`` says so.
        """
        if is_late is None:
            is_late = batch.is_behind(times, self.watermark)
        if not is_late.any():
            return batch, times
        kept = np.flatnonzero(~is_late)
        self.metrics.late_rows += batch.num_rows - len(kept)
        return batch.take(kept), times[kept]

    def set_time(self, now: int, retentions: Sequence[int]) -> None:
        """Sets the clock; ``retentions`` are the times in milliseconds after which untouched state expires and is not read, one or one per input; 0: never."""
        self.processing_time = now
        (retention,) = retentions
        if retention and self.keys is not None:
            self.keys.set_time(now, retention)

    def expire(self) -> bool:
        """Returns whether some keys have expired, so that the state must be rebuilt to reclaim their memory. May remove expired state itself instead."""
        # Differs from Flink: an aggregate without GROUP BY never expires, so that a pause in the input does not reset a total.
        return self.keys is not None and bool(self.keys.types) and self.keys.has_expired()

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return np.ones(len(slots), np.bool_)


S = TypeVar("S", bound=OperatorState)


class ChangelogOperator(ABC, Generic[S]):
    """A node of a streaming graph.

    An operator holds no state of a run and can be pickled: all that it stores between batches is in the state that ``create_state``
    returns. ``process`` accesses only the state of the keys in its batch. The output does not depend on where the input is cut into batches.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    @property
    def name(self) -> str:
        """The operator's name in plans."""
        return type(self).__name__

    def details(self) -> str:
        """Returns the text in parentheses after the operator's name in plans."""
        return ""

    def __str__(self) -> str:
        return f"{self.name}({self.details()})"

    @abstractmethod
    def create_state(self, context: ExecutionContext) -> S:
        """Returns the empty state of a run."""

    def start(self, state: S, out: Output) -> None:  # most operators emit nothing before their first input
        """Called once, before the first batch."""

    @abstractmethod
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        """Returns how the rows of an input are divided where several runs of the operator share the work. All state of a row is in the bucket of these columns."""

    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        """Returns how the output is divided if the inputs are divided as given, by ``exchange_keys`` or as the operators below leave them.

        A reader with the same exchange keys needs no exchange.
        """
        return GLOBAL if inputs and all(each is GLOBAL for each in inputs) else None

    def layout(self) -> Mapping[str, Any]:
        """Returns what the tables of the state depend on besides the node of the plan, as JSON, for comparison with the state of another version of the statement."""
        return {}

    upsert_key: Sequence[int] = ()
    """The columns of the only input by which a row replaces another one that is not retracted before; empty: there is no such input."""

    def replaced_by(self, input_index: int) -> Sequence[int]:
        """Returns the columns by which a row of an input replaces another one that is not retracted before; empty: all rows that go are retracted."""
        return self.upsert_key

    needs_each_change: bool = False
    """Whether the rows say which changes there were, and not only what results from them."""

    input_of_versions: int | None = None
    """The input each of whose rows counts, also one that is replaced or deleted at once: its times say when it was valid."""

    @abstractmethod
    def process(self, batch: ChangeBatch, input_index: int, state: S, out: Output) -> None:
        """Processes a batch of one input; passes the resulting changes to ``out``, in the order of the rows."""

    finds_rows_by_key = False
    """Whether it finds the row of a retraction that has its key alone, where it knows the key."""

    assigns_watermarks = False
    """Whether the operator makes watermarks of its rows; the watermarks of its inputs then only mark their end."""

    may_finish = False
    """Whether ``is_finished`` may become true before the input ends."""

    input_to_read_first: int | None = None
    """The input that is read to its end before the others, where that is possible."""

    waits_for_first_input = True
    """Whether that input ends, so that the rows of the others wait for it."""

    emits_at_watermarks = False
    """Whether ``on_watermark`` does something."""

    waits_for_watermarks = False
    """Whether rows are kept until the watermarks of all inputs have reached them."""

    emits_late_rows = False
    """Whether rows that are emitted at a watermark may be behind it. Which of them are late for a reader depends on the watermark that it has then."""

    order_slack: int | None = None
    """How much later than the watermark, in milliseconds, the times of rows of several inputs must be for their order to have no effect; None: it never has."""

    def on_watermark(self, watermark: int, state: S, out: Output) -> None:  # most operators do not wait for event time
        """Called when event time has reached ``watermark`` in all inputs; ``state.watermark`` is the one before."""

    def next_due(self, state: S) -> int:
        """Returns a watermark below which ``on_watermark`` does nothing; ``NO_WATERMARK``: that is not known, ``END_OF_TIME``: nothing waits.

        An operator over processing time is called when the clock has reached it, and then every 20 ms until it returns a later one.
        """
        return NO_WATERMARK

    has_timers = False
    """Whether ``on_clock`` is to be called when the clock of the run has reached ``next_timer``."""

    def on_clock(self, now: int, state: S, out: Output) -> None:  # few operators emit rows by the clock in event time
        """Called when the clock has reached ``now``, in milliseconds, before the next batch."""

    def next_timer(self, state: S) -> int:
        """Returns a time of the clock before which ``on_clock`` does nothing; ``END_OF_TIME``: there is none."""
        return END_OF_TIME

    def output_watermark(self, state: S) -> int:
        """Returns the watermark after what the operator has emitted; that of its inputs, unless it emits rows that are older."""
        return state.watermark

    def end_of_input(self, input_index: int, state: S, out: Output) -> None:  # most operators have emitted everything before
        """Called when an input has ended."""

    def is_finished(self, state: S) -> bool:
        """Whether no further input can change the result, as of a full LIMIT."""
        return False


AnyOperator = ChangelogOperator[Any]
"""An operator with any type of state."""
