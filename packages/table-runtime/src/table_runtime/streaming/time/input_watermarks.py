"""The least watermark of several inputs of an operator, or of several splits of a source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.time.watermarks import END_OF_TIME

K = TypeVar("K", int, str)


class InputWatermarks(Generic[K]):
    """The watermarks of inputs by name or number, and the least of those that are not idle, which never decreases.

    An idle input holds nobody back until it is active again; what it gives then may be late. If all are idle, the least watermark stays.

    Source: Flink's ``org.apache.flink.api.common.eventtime.CombinedWatermarkStatus``.
    """

    def __init__(self, inputs: Iterable[K] = ()) -> None:
        self._watermarks: dict[K, int] = dict.fromkeys(inputs, NO_WATERMARK)
        self._idle: set[K] = set()
        self._least = NO_WATERMARK
        self.has_been_idle = False
        """Whether an input was ever idle, so that the least watermark may be greater than that of an input."""

    @property
    def least(self) -> int:
        """The greatest that the least watermark of the inputs that are not idle has been."""
        return self._least

    @property
    def is_idle(self) -> bool:
        """Whether all inputs are idle."""
        return bool(self._idle) and len(self._idle) == len(self._watermarks)

    @property
    def idle(self) -> list[K]:
        """The inputs that are idle."""
        return [name for name in self._watermarks if name in self._idle]

    def add(self, name: K) -> None:
        """Adds an input that has no watermark yet, unless it is known."""
        self._watermarks.setdefault(name, NO_WATERMARK)

    def advance(self, name: K, watermark: int) -> None:
        """Sets the watermark of an input, new or known, and makes it active; a watermark below the one that it has is ignored."""
        self._watermarks[name] = max(watermark, self._watermarks.get(name, NO_WATERMARK))
        self._idle.discard(name)
        self._update()

    def set_idle(self, name: K, is_idle: bool) -> None:
        """Says whether an input is idle."""
        self._watermarks.setdefault(name, NO_WATERMARK)
        if is_idle:
            self._idle.add(name)
            self.has_been_idle = True
        else:
            self._idle.discard(name)
        self._update()

    def remove(self, name: K) -> None:
        """Removes an input that has ended; nobody waits for it any more."""
        self._watermarks.pop(name, None)
        self._idle.discard(name)
        self._update()

    def least_of(self, names: Iterable[K]) -> int:
        """Returns the least watermark of some inputs that are not idle; ``END_OF_TIME`` if there is none."""
        return min((self._watermarks[name] for name in names if name not in self._idle), default=END_OF_TIME)

    def others(self, name: K) -> list[K]:
        """Returns the other inputs."""
        return [other for other in self._watermarks if other != name]

    def values(self) -> Mapping[K, int]:
        """Returns the watermark of each input."""
        return self._watermarks

    def restore(self, least: int, values: Mapping[K, int]) -> None:
        """Sets the watermarks to saved ones; all inputs are active."""
        self._watermarks = dict(values)
        self._idle.clear()
        self._least = least
        self.has_been_idle = least > min(values.values(), default=least)

    def _update(self) -> None:
        if len(self._idle) < len(self._watermarks):
            self._least = max(self._least, self.least_of(self._watermarks))
