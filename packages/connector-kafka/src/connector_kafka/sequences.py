"""The header by which messages of a sink are known again: job, epoch and sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from confluent_kafka import Message

HEADER = "table-commit"
"""The name of the header. Its value is ``epoch sequence job``."""
_BLOCK = 1000
"""The number of values that differ in their last three digits only."""


class CommitSequence(NamedTuple):
    """The place of a message in what a job wrote to a partition: the number of its epoch, and its number in the epoch, from 0."""

    job: bytes
    epoch: int
    number: int


def header_of(job: str, epoch: int, number: int) -> bytes:
    """Returns the value of the header of a message."""
    return b"%d %d %s" % (epoch, number, job.encode())


class HeaderValues:
    """The values of the headers of one epoch. They are put together from few parts, because a commit needs one for each message."""

    def __init__(self, job: str, epoch: int) -> None:
        self._epoch = epoch
        self._job = job.encode()
        self._endings = [b"%03d %s" % (number, self._job) for number in range(_BLOCK)]

    def of(self, start: int, count: int) -> list[bytes]:
        """Returns the values of the messages from the number ``start`` on."""
        values: list[bytes] = []
        for block in range(start // _BLOCK, (start + count - 1) // _BLOCK + 1):
            first, last = max(start - block * _BLOCK, 0), min(start + count - block * _BLOCK, _BLOCK)
            if block:
                beginning = b"%d %d" % (self._epoch, block)
                values += [beginning + ending for ending in self._endings[first:last]]
            else:  # without leading zeros
                values += [b"%d %d %s" % (self._epoch, number, self._job) for number in range(first, last)]
        return values


def sequence_of(message: Message) -> CommitSequence | None:
    """Returns what the header of a message says; None without the header."""
    headers: Any = message.headers()
    if headers:
        for name, value in headers:
            if name == HEADER and value is not None:
                parts = value.split(b" ", 2)
                if len(parts) == 3 and parts[0].isdigit() and parts[1].isdigit():
                    return CommitSequence(parts[2], int(parts[0]), int(parts[1]))
    return None


class SeenSequences:
    """The last sequence of each job in a partition, as a reader saw it. A writer that was cut off may have produced messages a second time.

    ``earlier`` returns the messages before those that are read, in the order of their offsets. It is called if a message has a sequence, once.
    """

    def __init__(self, earlier: Callable[[], Iterable[Sequence[Message]]] | None = None) -> None:
        self._last: dict[bytes, tuple[int, int]] = {}
        self._earlier = earlier

    def new_ones(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Returns the messages, in the order of their offsets, without those whose sequence was seen before."""
        first, last = sequence_of(messages[0]), sequence_of(messages[-1])
        if first is not None and last is not None and _is_gapless(first, last, len(messages)) and self._is_new(first):
            self._last[last.job] = last[1:]
            return messages
        if not any(map(Message.headers, messages)):
            return messages
        kept = []
        for message in messages:
            found = sequence_of(message)
            if found is not None:
                if not self._is_new(found):
                    continue
                self._last[found.job] = found[1:]
            kept.append(message)
        return kept

    def _is_new(self, found: CommitSequence) -> bool:
        earlier, self._earlier = self._earlier, None
        if earlier is not None:
            for messages in earlier():
                self.new_ones(messages)
        seen = self._last.get(found.job)
        return seen is None or found[1:] > seen


def _is_gapless(first: CommitSequence, last: CommitSequence, count: int) -> bool:
    """Whether the messages between are those of one commit, each once: the usual case."""
    return first[:2] == last[:2] and last.number - first.number == count - 1
