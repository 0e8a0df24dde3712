"""The state of a job in shares after an epoch, as the client keeps it: the next epoch is planned from it, and the reports of its tasks update it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from table_common.frozen_dataclass import dataclass, field, replace
from table_common.gate import AllowedPath, AllowedUrl
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.checkpoints.state_files import StateFile
from table_runtime.streaming.operators.exchange_keys import Division
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner, WatermarkState
from table_runtime.streaming.shares.cut import Levels, LevelSource
from table_runtime.streaming.shares.mapped_state import StateKeeper
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.share_task import ShareTask
from table_runtime.streaming.shares.source_task import SourceTask, SplitPlan
from table_runtime.streaming.shares.task_output import WriterFactory
from table_runtime.streaming.shares.wire import Mark, Target
from table_runtime.streaming.state.snapshots import Snapshot
from table_runtime.streaming.time.watermarks import END_OF_TIME


@dataclass(frozen=True, slots=True)
class SplitProgress:
    """A split that has not ended: for each assigner of watermarks the greatest value, the last watermark and the number of rows so far.

    An idle split does not hold back the watermark.
    """

    values: Mapping[int, Sequence[int]] = field(default_factory=dict)
    is_idle: bool = False

    def watermark(self, assigner: int) -> int:
        """Returns the watermark after the rows so far."""
        return self.values[assigner][1] if assigner in self.values else NO_WATERMARK

    @property
    def least(self) -> int:
        """The least watermark of all assigners."""
        return min((each[1] for each in self.values.values()), default=NO_WATERMARK)


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """The splits of a source that have not ended, and the watermark of each assigner, which never decreases."""

    splits: Mapping[str, SplitProgress] = field(default_factory=dict)
    reached: Mapping[int, int] = field(default_factory=dict)
    has_ended: bool = False
    """Whether no rows follow after the epoch that is planned."""
    had_ended: bool = False
    """Whether none were left before it."""


@dataclass(frozen=True, slots=True)
class SharedJobState:
    """The state of a job after an epoch. All keys of mappings are numbers of nodes of the graph, or a level and a share."""

    sources: tuple[SourceProgress, ...]
    files: Mapping[int, tuple[StateFile, ...]] = field(default_factory=dict)
    watermarks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    idle_inputs: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    tokens: Mapping[tuple[int, int], str] = field(default_factory=dict)
    due: Mapping[tuple[int, int], int] = field(default_factory=dict)
    now: int = 0
    """The clock of the epoch."""
    is_first: bool = True
    """Whether no epoch was decided yet."""
    finished: frozenset[int] = frozenset()
    """The nodes that need no more rows."""

    @property
    def next_due(self) -> int | None:
        """A time of the clock before which nothing is emitted unless rows come; None: time has no effect."""
        return min(self.due.values(), default=None)


@dataclass(frozen=True, slots=True)
class SharedJob:
    """A job that runs in shares: its levels, the folder of its files, and the names of its operators in it. ``run`` is that of this start."""

    levels: Levels
    location: AllowedPath | AllowedUrl
    names: Sequence[str]
    run: str
    writers: Mapping[int, WriterFactory] = field(default_factory=dict)
    map_folder: StateKeeper | None = None

    def begin(self) -> SharedJobState:
        """Returns the state of a job without rows."""
        return SharedJobState(tuple(SourceProgress() for _ in self._sources))

    @property
    def _sources(self) -> tuple[LevelSource, ...]:
        return self.levels.levels[0].sources

    def source_task(self, epoch: int, now: int) -> SourceTask:
        """Returns what a worker runs for each split of an epoch."""
        level = self.levels.levels[0]
        return SourceTask(
            level, self.levels.shares, epoch, now, {output: self.writers[output] for output in level.outputs if output in self.writers}
        )

    def split_plan(
        self, state: SharedJobState, origin: int, source: int, split: str, *, ends: bool = False, is_part: bool = False
    ) -> SplitPlan:
        """Returns what the task of a split has to know: ``origin`` is its number in the epoch. ``ends``: the split has no rows after this epoch.

        ``is_part``: other tasks of the epoch read other parts of the split.
        """
        level, progress = self.levels.levels[0], state.sources[source]
        own = progress.splits.get(split, SplitProgress())
        active = [each for name, each in progress.splits.items() if name != split and not each.is_idle]
        assigners = [level.numbers[place] for place in self._sources[source].assigners]
        others = {assigner: min((each.watermark(assigner) for each in active), default=None) for assigner in assigners}
        return SplitPlan(origin, source, split, own.values, others, progress.reached, ends, self._inputs_of_others(state, source), is_part)

    def _inputs_of_others(self, state: SharedJobState, source: int) -> list[tuple[int, int, int]]:
        """Returns the inputs of level 0 that only other sources reach, with their watermarks: rows of this one come with the least of all."""
        level, found = self.levels.levels[0], dict[tuple[int, int], int]()
        for number, (entry, progress) in enumerate(zip(self._sources, state.sources, strict=True)):
            for place, assigner in entry.inside.items():
                if number == source or place in self._sources[source].inside or not level.nodes[place[0]].inputs > 1:
                    continue
                own = NO_WATERMARK if assigner is None else progress.reached.get(level.numbers[assigner], NO_WATERMARK)
                found[place] = min(END_OF_TIME if progress.had_ended else own, found.get(place, END_OF_TIME))
        return [(*place, watermark) for place, watermark in found.items() if watermark > NO_WATERMARK]

    def share_tasks(self, state: SharedJobState, epoch: int, now: int, reading: Iterable[tuple[int, str]]) -> list[ShareTask]:
        """Returns what workers run for the shares of each level above the lowest. ``reading`` are the splits of the epoch: source and split."""
        read = set(reading)
        return [
            ShareTask(
                level,
                self.levels.shares,
                epoch,
                self.run,
                now,
                state.now,
                state.is_first,
                self.location,
                {node: self.names[node] for node in level.numbers},
                {node: state.files[node] for node in level.numbers if node in state.files},
                {node: state.watermarks[node] for node in level.numbers if node in state.watermarks},
                {node: state.idle_inputs[node] for node in level.numbers if node in state.idle_inputs},
                {share: token for (number, share), token in state.tokens.items() if number == level.number},
                {share: due for (number, share), due in state.due.items() if number == level.number},
                {entry.target: marks for entry in level.entries if (marks := self._marks(state, entry.target, read))},
                {output: self.writers[output] for output in level.outputs if output in self.writers},
                self.map_folder,
            )
            for level in self.levels.levels[1:]
        ]

    def _marks(self, state: SharedJobState, target: Target, read: set[tuple[int, str]]) -> list[Mark]:
        """Returns the watermarks that bound an edge, except those of splits that this epoch reads."""
        marks: list[Mark] = []
        for number, (source, progress) in enumerate(zip(self._sources, state.sources, strict=True)):
            if target not in source.marks:
                continue
            place = source.marks[target]
            if progress.has_ended:
                marks.append(Mark([END_OF_TIME]))
            elif place is None:
                marks.append(Mark([NO_WATERMARK]))
            else:
                assigner = self.levels.levels[0].numbers[place]
                waiting = {name: split for name, split in progress.splits.items() if (number, name) not in read}
                marks += [Mark([split.watermark(assigner)], split.is_idle) for split in waiting.values()]
                if not progress.splits and not any(each == number for each, _ in read):
                    marks.append(Mark([NO_WATERMARK]))
        if all(not mark.is_idle and mark.watermarks[-1] == NO_WATERMARK for mark in marks) and not any(
            target in each.marks and each.marks[target] is not None for each in self._sources
        ):
            return []  # no event time, and no end
        return marks

    def with_splits(self, state: SharedJobState, source: int, splits: Mapping[str, bool]) -> SharedJobState:
        """Returns the state before an epoch in which a source has these splits; the value says whether one is idle. Others have ended."""
        old = state.sources[source]
        found = {name: replace(old.splits.get(name, SplitProgress()), is_idle=is_idle) for name, is_idle in splits.items()}
        return self._with_source(state, source, replace(old, splits=found))

    def with_end(self, state: SharedJobState, source: int) -> SharedJobState:
        """Returns the state before an epoch after which a source has no more rows."""
        return self._with_source(state, source, replace(state.sources[source], has_ended=True))

    def _with_source(self, state: SharedJobState, source: int, progress: SourceProgress) -> SharedJobState:
        return replace(state, sources=(*state.sources[:source], progress, *state.sources[source + 1 :]))

    def after(self, state: SharedJobState, notes: Sequence[Note], now: int, ended: Iterable[tuple[int, str]] = ()) -> SharedJobState:
        """Returns the state after an epoch whose tasks wrote these notes; ``ended`` are the splits that have no more rows."""
        files = {node: self._files(node, state, notes) for node in range(len(self.names)) if self.levels.level_of[node]}
        watermarks, idle_inputs = dict(state.watermarks), dict(state.idle_inputs)
        found: dict[int, list[Sequence[int]]] = {}
        # The job may have had another number of shares before.
        tokens = {task: token for task, token in state.tokens.items() if task[1] < self.levels.shares}
        due = {task: time for task, time in state.due.items() if task[1] < self.levels.shares}
        for note in notes:
            if note.token is None:
                continue
            tokens[note.level, note.origin] = note.token
            due.pop((note.level, note.origin), None)
            if note.next_due is not None:
                due[note.level, note.origin] = note.next_due
            for node, values in note.watermarks.items():
                found.setdefault(node, []).append(values)
            idle_inputs.update({node: tuple(inputs) for node, inputs in note.idle_inputs.items()})
        # The watermarks of the inputs are those of all shares; an operator may hold that of its output back for its own rows.
        watermarks.update({node: tuple(map(min, zip(*values, strict=True))) for node, values in found.items()})
        sources = tuple(self._source_after(number, each, notes, set(ended)) for number, each in enumerate(state.sources))
        finished = state.finished | {node for note in notes if not note.origin for node in note.finished if self._is_global(node)}
        return SharedJobState(
            sources,
            {node: each for node, each in files.items() if each},
            watermarks,
            idle_inputs,
            tokens,
            due,
            now,
            is_first=False,
            finished=finished,
        )

    def _is_global(self, number: int) -> bool:
        """Whether all rows of a node are in the share 0."""
        level = self.levels.levels[self.levels.level_of[number]]
        node = level.nodes[level.place_of(number)]
        return all(node.operator.exchange_keys(index) is Division.GLOBAL for index in range(node.inputs))

    def _files(self, node: int, state: SharedJobState, notes: Sequence[Note]) -> tuple[StateFile, ...]:
        """Returns the files of all shares of an operator, share by share: a share without a note of it keeps its own."""
        level, before = self.levels.level_of[node], state.files.get(node, ())
        new = {note.origin: tuple(note.files[node]) for note in notes if note.level == level and node in note.files}
        if not new:
            return before  # the epoch has not written it
        result: list[StateFile] = []
        for share in range(self.levels.shares):
            result += new[share] if share in new else [file for file in before if file.share == share]
        return tuple(result)

    def _source_after(self, number: int, source: SourceProgress, notes: Sequence[Note], ended: set[tuple[int, str]]) -> SourceProgress:
        splits = dict(source.splits)
        read: dict[str, list[Mapping[int, Sequence[int]]]] = {}
        for note in notes:
            if note.level == 0 and note.source == number:
                read.setdefault(note.split, []).append(note.progress)
        for name, parts in read.items():
            splits[name] = SplitProgress(_merged(source.splits.get(name, SplitProgress()).values, parts))
        reached = dict(source.reached)
        for place in self._sources[number].assigners:
            assigner = self.levels.levels[0].numbers[place]
            active = [split.watermark(assigner) for split in splits.values() if not split.is_idle]
            if active:
                reached[assigner] = max(min(active), reached.get(assigner, NO_WATERMARK))
        splits = {name: split for name, split in splits.items() if (number, name) not in ended}
        return replace(source, splits=splits, reached=reached, had_ended=source.has_ended)

    def source_states(self, state: SharedJobState) -> Mapping[int, Snapshot]:
        """Returns the state of the assigners of watermarks as the embedded engine keeps it, for a manifest that it can read."""
        result: dict[int, Snapshot] = {}
        for source, progress in zip(self._sources, state.sources, strict=True):
            for place in source.assigners:
                operator, node = self.levels.levels[0].nodes[place].operator, self.levels.levels[0].numbers[place]
                assert isinstance(operator, WatermarkAssigner)
                content = operator.create_state(ExecutionContext(parallelism=1))
                for name, split in progress.splits.items():
                    own = content.progress_of(name)
                    own.greatest, own.emitted, rows = split.values.get(node, (NO_WATERMARK, NO_WATERMARK, 0))
                    content.rows += rows
                content.splits.restore(
                    progress.reached.get(node, NO_WATERMARK), {name: each.current for name, each in content.progress.items()}
                )
                result[node] = content.snapshot()
        return result

    def source_progress(self, source: int, snapshots: Mapping[int, Sequence[Snapshot]]) -> SourceProgress:
        """Returns the progress of a source from the state of its assigners in a manifest, by their numbers."""
        values: dict[str, dict[int, tuple[int, int, int]]] = {}
        reached: dict[int, int] = {}
        for place in self._sources[source].assigners:
            operator, node = self.levels.levels[0].nodes[place].operator, self.levels.levels[0].numbers[place]
            content: Any = operator.create_state(ExecutionContext(parallelism=1))
            assert isinstance(content, WatermarkState)
            content.restore(list(snapshots.get(node, ())))
            reached[node] = content.splits.least
            for name, each in content.progress.items():
                values.setdefault(name, {})[node] = each.greatest, each.emitted, 0
        return SourceProgress({name: SplitProgress(each) for name, each in values.items()}, reached)


def _merged(before: Mapping[int, Sequence[int]], parts: Sequence[Mapping[int, Sequence[int]]]) -> Mapping[int, Sequence[int]]:
    """Returns the progress of a split after tasks that have read its parts, each from the progress ``before``."""
    result = {}
    for assigner in parts[0]:
        _, _, rows = before.get(assigner, (NO_WATERMARK, NO_WATERMARK, 0))
        greatest, emitted, counts = zip(*(part[assigner] for part in parts), strict=True)
        result[assigner] = max(greatest), max(emitted), rows + sum(count - rows for count in counts)
    return result
