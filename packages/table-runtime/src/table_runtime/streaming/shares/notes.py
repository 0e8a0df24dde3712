"""What tasks tell the client, and whether all of them saw the same attempts of each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.frozen_dataclass import dataclass, field
from table_runtime.streaming.checkpoints.state_files import StateFile


@dataclass(frozen=True, slots=True)
class Note:
    """What a task of an epoch did: that of a split (level 0), or of a share. All keys of mappings are numbers of nodes, or of outputs, of the graph.

    A task that had nothing to do has neither ``files`` nor ``token``: what the plan of the epoch said about its share stays.
    """

    level: int
    origin: int
    attempt: int
    consumed: Sequence[tuple[int, int, int]] = ()
    """The tasks whose cells it read: level, origin and attempt."""
    token: str | None = None
    """The name of the state that it leaves on its machine."""
    is_mapped: bool = False
    """Whether it found the state of the epoch before on its machine."""
    files: Mapping[int, Sequence[StateFile]] = field(default_factory=dict)
    """The files of its share, the newest first."""
    watermarks: Mapping[int, Sequence[int]] = field(default_factory=dict)
    idle_inputs: Mapping[int, Sequence[int]] = field(default_factory=dict)
    next_due: int | None = None
    """A time of the clock before which the share emits nothing unless rows come."""
    counters: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """What each operator has counted in this epoch."""
    rows: Mapping[int, int] = field(default_factory=dict)
    """How many rows each output got."""
    messages: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    """The messages of the writers of outputs, as JSON values."""
    source: int | None = None
    split: str = ""
    rows_read: int = 0
    rows_ignored: int = 0
    """How many messages and values of the split could not be read and were left out."""
    progress: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Of a split, for each assigner of watermarks: the greatest value, the last watermark, and the number of rows so far."""
    finished: Sequence[int] = ()
    """The nodes that need no more rows of this share, as a LIMIT that has them all."""

    def to_payload(self) -> pa.Buffer:
        """Returns the payload of a cell."""
        content = {name: getattr(self, name) for name in _NAMES}
        content["files"] = {node: [file.to_json() for file in files] for node, files in self.files.items()}
        return pa.py_buffer(json.dumps(content).encode())

    @classmethod
    def of(cls, payload: bytes) -> Note:
        """Returns the note in a cell."""
        content = json.loads(payload)
        for name in _BY_NUMBER:
            content[name] = {int(number): value for number, value in content[name].items()}
        content["files"] = {node: tuple(map(StateFile.from_json, files)) for node, files in content["files"].items()}
        content["consumed"] = tuple(map(tuple, content["consumed"]))
        content["finished"] = tuple(content["finished"])
        return cls(**content)


_NAMES = tuple(Note.__dataclass_fields__)  # type: ignore[attr-defined,unused-ignore]
_BY_NUMBER = ("files", "watermarks", "idle_inputs", "counters", "rows", "messages", "progress")


def differing_attempts(notes: Iterable[Note]) -> list[tuple[int, int, list[int]]]:
    """Returns the tasks of which other tasks or the client saw several attempts: level, origin, and the attempts. An epoch with such tasks is not decided but runs again."""
    seen: dict[tuple[int, int], set[int]] = {}
    for note in notes:
        seen.setdefault((note.level, note.origin), set()).add(note.attempt)
        for level, origin, attempt in note.consumed:
            seen.setdefault((level, origin), set()).add(attempt)
    return [(*task, sorted(attempts)) for task, attempts in sorted(seen.items()) if len(attempts) > 1]
