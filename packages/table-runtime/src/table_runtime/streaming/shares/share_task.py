"""The task of a share: takes the rows of its keys from lower levels, runs the nodes of its level over its state, and divides what they emit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from urllib.parse import quote

from table_common.frozen_dataclass import dataclass, field
from table_common.gate import AllowedPath, AllowedUrl
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.checkpoints.failure_points import reached
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.state_files import StateFile
from table_runtime.streaming.shares.cut import IncomingEdge, Level
from table_runtime.streaming.shares.mapped_state import KeptState, StateKeeper
from table_runtime.streaming.shares.net_changes import merged_changes
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.share_run import ShareRun
from table_runtime.streaming.shares.share_state import is_divided, read_share, write_share
from table_runtime.streaming.shares.task_output import TaskOutput, WriterFactory
from table_runtime.streaming.shares.wire import MOST_BYTES, OUTPUT, Cell, Kind, Mark, Target, changes_of, joined_changes
from table_runtime.streaming.state.snapshots import Snapshot

_NO_MARKS: Sequence[Mark] = ()


@dataclass(frozen=True, slots=True)
class ShareTask:
    """What a worker runs for a share of a level in an epoch; it can be pickled. All keys of mappings are numbers of nodes, or of outputs, of the graph.

    ``now`` and ``last`` are the clock of the epoch and of the one before; ``is_first``: there is none before. ``location`` is the folder of the job, ``names`` those of the
    operators in it. ``files``, ``watermarks`` and ``idle_inputs`` are the state after the epoch before, of all shares; ``tokens`` and ``due`` are those of each share.
    ``marks`` has the watermarks of splits that are not read in this epoch. ``map_folder`` is where states are kept between epochs; None: nowhere. ``writes_state``: the state
    goes to files; if it need not, the states must be kept. ``is_checkpoint``: it does also without rows, as epochs before have not written it.
    """

    level: Level
    shares: int
    epoch: int
    run: str
    now: int
    last: int
    is_first: bool
    location: AllowedPath | AllowedUrl
    names: Mapping[int, str]
    files: Mapping[int, Sequence[StateFile]] = field(default_factory=dict)
    watermarks: Mapping[int, Sequence[int]] = field(default_factory=dict)
    idle_inputs: Mapping[int, Sequence[int]] = field(default_factory=dict)
    tokens: Mapping[int, str] = field(default_factory=dict)
    due: Mapping[int, int] = field(default_factory=dict)
    marks: Mapping[Target, Sequence[Mark]] = field(default_factory=dict)
    writers: Mapping[int, WriterFactory] = field(default_factory=dict)
    map_folder: StateKeeper | None = None
    writes_state: bool = True
    is_checkpoint: bool = False
    most_bytes: int = MOST_BYTES
    """Bytes of changes that an operator gets at once."""
    holds: bool = False
    """Whether rows for the same share of other levels stay in this process."""

    def __call__(self, share: int, cells: Iterable[Cell], attempt: int, given: ExecutionContext | None = None) -> Iterator[Cell]:
        """Yields cells; ``cells`` are those whose part is the share, in any order. ``given`` is a context that lives on; None: the task has its own."""
        own: list[Cell] = []
        passing: list[Cell] = []
        consumed: set[tuple[int, int, int]] = set()
        for cell in cells:
            consumed.add((cell.level, cell.origin, cell.attempt))
            if cell.kind != Kind.SEEN:
                (own if self._is_own(cell) else passing).append(cell)
        yield from passing
        leaving = TaskOutput(self.level, self.shares, self.epoch, share, attempt, self.writers, share if self.holds else None)
        seen = tuple(sorted(consumed))
        if not self._has_work(share, own):
            leaving.note(Note(self.level.number, share, attempt, seen))
            yield from leaving.take()
            return
        context = ExecutionContext(parallelism=1) if given is None else given
        try:
            yield from self._work(share, own, attempt, seen, leaving, context)
        except BaseException:
            leaving.abort()
            raise
        finally:
            if given is None:
                context.close()

    def _is_own(self, cell: Cell) -> bool:
        if cell.kind not in (Kind.ROWS, Kind.MARK):
            return False
        return cell.input_index in self.level.outputs if cell.node == OUTPUT else cell.node in self.level.numbers

    def _has_work(self, share: int, own: Sequence[Cell]) -> bool:
        is_due = share in self.due and self.due[share] <= self.now
        moves = any(not is_divided(files, self.shares) for files in self.files.values())
        return bool(own) or self.is_first or self.is_checkpoint or is_due or moves or any(map(self._moves_time, self.level.entries))

    def _moves_time(self, entry: IncomingEdge) -> bool:
        """Whether the watermark of an edge is another one than that of the epoch before, without the rows of this one."""
        if entry.target.node == OUTPUT or entry.below or (mark := self._mark(entry, {})) is None:
            return False
        node, index = entry.target
        watermarks = self.watermarks.get(node, ())
        before = watermarks[2 + index] if watermarks else NO_WATERMARK
        is_idle = index in self.idle_inputs.get(node, ())
        return not is_idle if mark.is_idle else is_idle or mark.watermarks[-1] > before

    def _work(
        self,
        share: int,
        own: Sequence[Cell],
        attempt: int,
        consumed: Sequence[tuple[int, int, int]],
        leaving: TaskOutput,
        context: ExecutionContext,
    ) -> Iterator[Cell]:
        level = self.level
        level.clock.stop_at(self.now)
        run = ShareRun(level, context, leaving.receive)
        mapped = None if self.map_folder is None else self.map_folder.open(self._map_name(share))
        try:
            is_mapped = self._begin(run, share, mapped)
            self._push(run, own, leaving)
            yield from leaving.take()
            self._advance(run, own)
            leaving.finish_rows()
            yield from leaving.take()
            note = self._finish(run, share, attempt, consumed, leaving, mapped, is_mapped=is_mapped)
        finally:
            if mapped is not None:
                mapped.close()
        leaving.note(note)
        yield from leaving.take()

    def _map_name(self, share: int) -> str:
        """Returns the name of the map of a share: jobs share the folder."""
        job = hashlib.sha256(str(self.location).encode()).hexdigest()[:12]
        return f"{job}-{self.level.number}-{share}-of-{self.shares}"

    def _begin(self, run: ShareRun, share: int, mapped: KeptState | None) -> bool:
        """Lets a run continue after the epoch before, from arrays on this machine if they are those of that epoch, else from files."""
        level = self.level
        token = self.tokens.get(share)
        is_mapped = False
        if self.is_first:
            run.start_share(share)
        else:
            states = None if mapped is None or token is None else mapped.load(token, level.nodes, level.clock)
            is_mapped = states is not None
            if states is not None:
                run.set_states(states)
            else:
                store = open_store(self.location, is_known=True)
                columns = [
                    read_share(store, self.files.get(node, ()), run.states[place], share, self.shares)
                    for place, node in enumerate(level.numbers)
                ]
                longest = max(map(len, columns), default=0)
                empty = Snapshot({}, is_whole=True)
                run.restore([[column[row] if row < len(column) else empty for column in columns] for row in range(longest)])
            for place, node in enumerate(level.numbers):
                run.set_watermarks(place, self.watermarks.get(node, ()), self.idle_inputs.get(node, ()))
            run.note_checks(self.last)
        if level.nodes:
            run.advance_clock()
        return is_mapped

    def _push(self, run: ShareRun, own: Sequence[Cell], leaving: TaskOutput) -> None:
        """Sends the rows of all edges through the level, in an order that does not depend on that in which cells came."""
        entries = {entry.target: entry for entry in self.level.entries}

        def order(cell: Cell) -> tuple[int, ...]:
            entry = entries[cell.target]
            return (not entry.is_first, cell.node, entry.source, cell.input_index, cell.level, cell.origin, cell.number)

        cells = sorted((cell for cell in own if cell.kind == Kind.ROWS), key=order)
        for target, of_target in groupby(cells, key=lambda cell: cell.target):
            entry, edges = entries[target], run.entry(target)
            parts = [
                list(chain.from_iterable(changes_of(cell.payload, entry.schema) for cell in of_origin))
                for _, of_origin in groupby(of_target, key=lambda cell: (cell.level, cell.origin))
            ]
            is_net = entry.below and self.shares > 1 and not entry.keeps_order
            batches = merged_changes(parts, entry.schema, entry.key) if is_net else chain.from_iterable(parts)
            for changes in joined_changes(batches, entry.schema, self.most_bytes):
                if edges:
                    run.enter(edges, changes)
                else:
                    leaving.write(target.input_index, changes)

    def _advance(self, run: ShareRun, own: Sequence[Cell]) -> None:
        given: dict[Target, dict[int, Mark]] = {}
        for cell in own:
            if cell.kind == Kind.MARK:
                given.setdefault(cell.target, {})[cell.origin] = Mark.of(cell.payload)
        marks = {
            entry.target: mark
            for entry in self.level.entries
            if entry.target.node != OUTPUT and (mark := self._mark(entry, given.get(entry.target, {}))) is not None
        }
        if run.fires_at_each_watermark:
            for watermark in sorted({each for mark in marks.values() for each in mark.watermarks[:-1]}):
                for target, mark in marks.items():
                    if passed := [each for each in mark.watermarks if each <= watermark]:
                        run.advance(run.entry(target), Mark(passed))
        for target, mark in marks.items():
            run.advance(run.entry(target), mark)

    def _mark(self, entry: IncomingEdge, given: Mapping[int, Mark]) -> Mark | None:
        """Returns the watermark of an edge: the least of all its origins that are not idle; None if it is not known."""
        if entry.below and len(given) < self.shares:
            return None
        marks = [*_marks_of_splits(given), *self.marks.get(entry.target, _NO_MARKS)]
        active = [mark for mark in marks if not mark.is_idle]
        if not active:
            return Mark((), is_idle=True) if marks else None
        least = min(mark.watermarks[-1] if mark.watermarks else NO_WATERMARK for mark in active)
        passed = sorted({each for mark in active for each in mark.watermarks if each < least})
        return Mark([*passed, least])

    def _finish(
        self,
        run: ShareRun,
        share: int,
        attempt: int,
        consumed: Sequence[tuple[int, int, int]],
        leaving: TaskOutput,
        mapped: KeptState | None,
        *,
        is_mapped: bool,
    ) -> Note:
        level = self.level
        for place, leaves in enumerate(level.exits):
            mark = run.mark_of(place)
            if mark is not None and leaves.target.node != OUTPUT:
                leaving.mark(leaves.target, mark)
        token = f"{self.epoch}-{self.run}-s{share}-{attempt}"
        files = self._write(run, share, token) if self.writes_state else {}
        reached("share written", self.epoch)
        messages = leaving.finish_writers()
        reached("share prepared", self.epoch)
        watermarks, idle_inputs, counters = run.watermarks(), run.idle_inputs(), run.counters()
        if mapped is not None and level.nodes:
            mapped.save(token, run.states, level.nodes, level.clock)
        reached("share mapped", self.epoch)
        return Note(
            level.number,
            share,
            attempt,
            consumed,
            token,
            is_mapped,
            files,
            dict(zip(level.numbers, watermarks, strict=True)),
            dict(zip(level.numbers, idle_inputs, strict=True)),
            run.next_timer(),
            dict(zip(level.numbers, map(dict, counters), strict=True)),
            leaving.rows,
            messages,
            finished=[
                node for node, part, state in zip(level.numbers, level.nodes, run.states, strict=True) if part.operator.is_finished(state)
            ],
        )

    def _write(self, run: ShareRun, share: int, token: str) -> dict[int, Sequence[StateFile]]:
        """Writes the state of a share; returns its files by the numbers of the nodes."""
        store = open_store(self.location, is_known=True)
        return {
            node: write_share(
                store, f"states/{quote(self.names[node], safe='#-')}", token, state, self.files.get(node, ()), share, self.shares
            )
            for node, state in zip(self.level.numbers, run.states, strict=True)
            if state.keys is not None
        }


def _marks_of_splits(given: Mapping[int, Mark]) -> Iterator[Mark]:
    """Yields the marks of origins; of those that read parts of one split the one with the greatest watermark."""
    greatest: dict[str, Mark] = {}
    for mark in given.values():
        if mark.split is None:
            yield mark
        elif mark.split not in greatest or mark.watermarks[-1] > greatest[mark.split].watermarks[-1]:
            greatest[mark.split] = mark
    yield from greatest.values()
