"""Which source of a job is read next, and which are idle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.time.alignment import Alignment, sources_to_read
from table_runtime.streaming.time.idle_splits import IdleSplits, Split, monotonic_milliseconds


class _Source(Protocol):
    @property
    def edges(self) -> Sequence[Any]: ...
    @property
    def alignment(self) -> Alignment | None: ...
    @property
    def idle_timeout(self) -> int: ...


class _Node(Protocol):
    @property
    def operator(self) -> AnyOperator: ...
    @property
    def inputs(self) -> int: ...
    @property
    def follows_clock(self) -> bool: ...


class _Run(Protocol):
    def is_read_first(self, edges: Sequence[Any]) -> bool: ...
    def meets_by_clock(self, edges: Sequence[Any]) -> bool: ...
    def watermark_of(self, edges: Sequence[Any]) -> int | None: ...
    def set_idle(self, edges: Sequence[Any], split: str, is_idle: bool) -> None: ...
    def add_split(self, edges: Sequence[Any], split: str) -> None: ...
    def end_split(self, edges: Sequence[Any], split: str) -> None: ...


class ReadingOrder:
    """The open sources of a run, by their numbers.

    Sources are read one after the other, those ``first`` before the others; then those ``in_turn`` together, a batch of each, then those ``by_watermark``, always the one with the least. A source whose
    watermark is ahead of its alignment group is not read. A source that has given no rows for its ``idle_timeout`` after it was read to its end for now
    is idle: neither its readers nor its group wait for it. ``clock`` returns milliseconds.
    """

    def __init__(
        self,
        sources: Sequence[_Source],
        run: _Run,
        clock: Callable[[], int],
        *,
        first: Collection[int] = (),
        in_turn: Collection[int] = (),
        by_watermark: Collection[int] = (),
    ) -> None:
        self._sources = sources
        self._run = run
        self._in_turn = list(in_turn)
        self._by_watermark = frozenset(by_watermark)
        self._first = frozenset(first)
        self._turns = dict.fromkeys(range(len(sources)), 0)
        self._open = sorted(range(len(sources)), key=lambda number: number not in first)
        self._splits: dict[int, set[str]] = {number: set() for number in self._open}
        self._caught_up: dict[int, set[str]] = {number: set() for number in self._open}
        self._idle_splits: dict[int, set[str]] = {number: set() for number in self._open}
        self._idle = IdleSplits(clock)

    @classmethod
    def of(cls, sources: Sequence[_Source], nodes: Sequence[_Node], run: _Run) -> ReadingOrder:
        """Returns the order of reading the sources of a graph, which depends on the operators above them."""
        waits = any(node.operator.waits_for_watermarks and node.inputs > 1 and not node.follows_clock for node in nodes)
        first = [number for number, source in enumerate(sources) if run.is_read_first(source.edges)]
        rest = [(number, source.edges) for number, source in enumerate(sources) if number not in first]
        with_time = [number for number, edges in rest if waits and run.watermark_of(edges) is not None]
        in_turn = [number for number, edges in rest if number not in with_time and run.meets_by_clock(edges)]
        return cls(sources, run, monotonic_milliseconds, first=first, in_turn=in_turn, by_watermark=with_time)

    @property
    def has_open(self) -> bool:
        """Whether a source has not ended."""
        return bool(self._open)

    def next(self) -> int | None:
        """Returns the source to read next; None if all have ended, or none has rows that may be read now."""
        self._note_idle()
        if len(self._open) == 1:
            return None if self._has_caught_up(self._open[0]) else self._open[0]
        waited_for = {number: self._sources[number].alignment for number in self._open if not self.is_idle(number)}
        watermarks = {number: self._run.watermark_of(self._sources[number].edges) for number in waited_for}
        allowed = [number for number in sources_to_read(waited_for, watermarks) if not self._has_caught_up(number)]
        first = [number for number in allowed if number not in self._in_turn and number not in self._by_watermark]
        if first:
            return first[0]
        for number in self._in_turn:
            if number in allowed:
                self._in_turn.remove(number)
                self._in_turn.append(number)
                return number
        return min(allowed, key=lambda number: watermarks[number] or 0, default=None)

    def next_readable(self, readable: Collection[int]) -> int | None:
        """Returns one of the sources that have rows, or nothing more; None if none may be read now. Other sources hold back only what waits for those ``first``.

        Of sources that are read by their watermark it is the one with the least. Otherwise the one that was not read for longest: none waits for ever.
        """
        self._note_idle()
        waited_for = {number: self._sources[number].alignment for number in self._open if not self.is_idle(number)}
        watermarks = {number: self._run.watermark_of(self._sources[number].edges) for number in self._open}
        allowed = {number for number in self._open if number not in waited_for}.union(sources_to_read(waited_for, watermarks))
        if self._waits_for_first:
            allowed.intersection_update(self._first)
        candidates = [number for number in self._open if number in readable and number in allowed]
        least = min(
            (number for number in candidates if number in self._by_watermark), key=lambda number: watermarks[number] or 0, default=None
        )
        candidates = [number for number in candidates if number == least or number not in self._by_watermark]
        number = min(candidates, key=lambda number: self._turns[number], default=None)
        if number is not None:
            self._turns[number] = 1 + max(self._turns.values())
        return number

    def next_left(self, left: Collection[int]) -> int | None:
        """Returns the source of which to take rows next when no source gives new ones: none is held back because it is ahead of its alignment group."""
        number = self.next_readable(left)
        if number is None and not self._waits_for_first:
            number = min(left, key=lambda number: self._run.watermark_of(self._sources[number].edges) or 0, default=None)
        return number

    @property
    def _waits_for_first(self) -> bool:
        return any(number in self._first and not self._has_caught_up(number) for number in self._open)

    def _note_idle(self) -> None:
        for number, split in self._idle.due():
            self._idle_splits[number].add(split)
            self._run.set_idle(self._sources[number].edges, split, True)

    def is_idle(self, number: int) -> bool:
        """Whether all splits of a source are idle."""
        return bool(self._splits[number]) and self._idle_splits[number] == self._splits[number]

    def wait(self) -> int | None:
        """Returns how many milliseconds a split has to continue without rows until it is idle; None: none can become idle."""
        return self._idle.wait()

    def split_began(self, number: int, split: str) -> None:
        """Called when a source has found a split, before its first rows."""
        self._splits[number].add(split)
        self._run.add_split(self._sources[number].edges, split)

    def has_rows(self, number: int, split: str = "") -> None:
        """Called when there are rows of a split, before they are pushed: it is active."""
        self._splits[number].add(split)
        self._caught_up[number].discard(split)
        if self._idle.active(Split(number, split)):
            self._idle_splits[number].discard(split)
            self._run.set_idle(self._sources[number].edges, split, False)

    def caught_up(self, number: int, split: str = "", at: int | None = None) -> None:
        """Called when a split was read to its end, as that was at a time of the clock, by default now."""
        self._splits[number].add(split)
        self._caught_up[number].add(split)
        self._idle.caught_up(Split(number, split), self._sources[number].idle_timeout, at)

    def split_ended(self, number: int, split: str) -> None:
        """Called when a split has no more rows, while its source continues."""
        for splits in (self._splits, self._caught_up, self._idle_splits):
            splits[number].discard(split)
        self._idle.active(Split(number, split))
        self._run.end_split(self._sources[number].edges, split)

    def ended(self, number: int) -> None:
        """Called when a source has ended."""
        self._open.remove(number)
        for split in self._splits[number]:
            self._idle.active(Split(number, split))

    def _has_caught_up(self, number: int) -> bool:
        return bool(self._splits[number]) and self._caught_up[number] == self._splits[number]
