"""The task of a split: reads it, runs the nodes below the first exchange, and divides the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.frozen_dataclass import dataclass, field
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import PARTIAL, ChangeBatch
from table_runtime.streaming.graph.graph import Edge
from table_runtime.streaming.operators.watermark_assigner import WatermarkState
from table_runtime.streaming.shares.cut import Level, LevelSource
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.share_run import ShareRun
from table_runtime.streaming.shares.task_output import TaskOutput, WriterFactory
from table_runtime.streaming.shares.wire import Cell, Mark

_OTHERS = "\0"
"""Stands for the other splits of a source: no split has this name."""


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """A split that is read in an epoch. ``origin`` is the number of its task, different for each task of the epoch.

    ``progress`` is that of the epoch before: for each assigner of watermarks the greatest value, the last watermark and the number of rows so far. ``others`` is the
    least watermark of the other splits that are not idle, as the epoch begins (None: there are none), ``reached`` that of the source. ``ends``: no rows follow.
    """

    origin: int
    source: int
    split: str
    progress: Mapping[int, Sequence[int]] = field(default_factory=dict)
    others: Mapping[int, int | None] = field(default_factory=dict)
    reached: Mapping[int, int] = field(default_factory=dict)
    ends: bool = False
    inputs: Sequence[tuple[int, int, int]] = ()
    """For inputs of nodes that only other sources reach: the place of the node, the number of the input, and its watermark as the epoch begins."""
    is_part: bool = False
    """Whether the task reads a part of the split, whose rows have no order: a row of the epoch is late only by the rows of earlier epochs."""


@dataclass(frozen=True, slots=True)
class SourceTask:
    """What a worker runs for a split of an epoch; it can be pickled. ``now`` is the clock of the epoch."""

    level: Level
    shares: int
    epoch: int
    now: int
    writers: Mapping[int, WriterFactory] = field(default_factory=dict)
    held: int | None = None
    """The share whose rows stay in this process; None: none do."""

    def __call__(
        self,
        plan: SplitPlan,
        batches: Iterable[pa.RecordBatch],
        attempt: int,
        ignored: Callable[[], int] = lambda: 0,
        given: ExecutionContext | None = None,
    ) -> Iterator[Cell]:
        """Yields the cells of a split. ``ignored`` is called at the end: how many messages and values were left out. ``given`` is a context that lives on."""
        leaving = TaskOutput(self.level, self.shares, self.epoch, plan.origin, attempt, self.writers, self.held)
        context = ExecutionContext(parallelism=1) if given is None else given
        try:
            yield from self._read(plan, batches, ignored, leaving, context, attempt)
        except BaseException:
            leaving.abort()
            raise
        finally:
            if given is None:
                context.close()

    def _read(
        self,
        plan: SplitPlan,
        batches: Iterable[pa.RecordBatch],
        ignored: Callable[[], int],
        leaving: TaskOutput,
        context: ExecutionContext,
        attempt: int,
    ) -> Iterator[Cell]:
        source = self.level.sources[plan.source]
        self.level.clock.stop_at(self.now)
        run = ShareRun(self.level, context, leaving.receive)
        states = {place: _state_of(run, place) for place in source.assigners}
        for place, state in states.items():
            _restore(state, plan, self.level.numbers[place])
        run.start()
        for place, index, watermark in plan.inputs:
            run.advance([Edge(place, index)], Mark([watermark]))
        rows = 0
        for batch in batches:
            if batch.num_rows:
                rows += batch.num_rows
                run.push(source.edges, _changes_of(batch, source), plan.split)
                yield from leaving.take()
        leaving.finish_rows()
        if not plan.ends:
            self._mark(source, states, plan, run, leaving)
        messages = leaving.finish_writers()
        progress = {self.level.numbers[place]: _progress(state, plan.split) for place, state in states.items()}
        counters = {self.level.numbers[place]: dict(state.metrics.counters()) for place, state in enumerate(run.states)}
        leaving.note(
            Note(
                0,
                plan.origin,
                attempt,
                counters=counters,
                rows=leaving.rows,
                messages=messages,
                source=plan.source,
                split=plan.split,
                rows_read=rows,
                rows_ignored=ignored(),
                progress=progress,
            )
        )
        yield from leaving.take()

    def _mark(self, source: LevelSource, states: Mapping[int, WatermarkState], plan: SplitPlan, run: ShareRun, leaving: TaskOutput) -> None:
        """Gives what the split lets event time come to: a reader takes the least of all splits."""
        for target, assigner in source.marks.items():
            if assigner is None or target.node < 0:
                continue
            watermark = states[assigner].progress_of(plan.split).current
            passed = sorted(each for each in run.passed if NO_WATERMARK < each < watermark)
            leaving.mark(target, Mark([*passed, watermark], split=f"{plan.source}:{plan.split}" if plan.is_part else None))


def _changes_of(batch: pa.RecordBatch, source: LevelSource) -> ChangeBatch:
    """Returns the changes of a batch of a source; of retractions with the key alone the kinds say so."""
    if not source.has_kinds:
        return ChangeBatch(batch)
    changes = ChangeBatch.of_numbered(batch, source.schema)
    if source.key and (changes.signs < 0).any():
        partial = changes.signs < 0
        for position in set(range(len(source.schema))).difference(source.key):
            partial &= ~changes.rows.column(position).is_valid().to_numpy(zero_copy_only=False)
        changes.kinds = changes.kinds | np.where(partial, PARTIAL, np.int8(0))
    return changes


def _state_of(run: ShareRun, place: int) -> WatermarkState:
    state = run.states[place]
    assert isinstance(state, WatermarkState)
    return state


def _restore(state: WatermarkState, plan: SplitPlan, node: int) -> None:
    own = state.progress_of(plan.split)
    if node in plan.progress:
        own.greatest, own.emitted, state.rows = plan.progress[node]
    others = plan.others.get(node)
    state.splits.restore(plan.reached.get(node, NO_WATERMARK), {plan.split: own.current, **({} if others is None else {_OTHERS: others})})
    state.split = plan.split
    state.before_all = state.splits.least if plan.is_part else None


def _progress(state: WatermarkState, split: str) -> tuple[int, int, int]:
    own = state.progress_of(split)
    return own.greatest, own.emitted, state.rows
