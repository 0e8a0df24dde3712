"""State that a machine keeps between two epochs: the arrays of a share in a file that the next task maps, whichever process it runs in.

The files of the checkpoint are the truth. A map that is not exactly the state that is asked for is not used, and a task that fails leaves none.
"""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.graph.graph import Node
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.time.clock import RunClock

try:
    import fcntl

    _CAN_LOCK = True
except ImportError:  # another system than Unix: state is read from files
    _CAN_LOCK = False

_ALIGNMENT = 64
_FEW_BYTES = 1 << 20
"""A file is rewritten when more than half of it, and more than this, is no longer used."""


class KeptState(Protocol):
    """The state of one share between two epochs."""

    def load(self, token: str, nodes: Sequence[Node], clock: RunClock) -> Sequence[OperatorState] | None:
        """Returns the states that were saved under a token, None if there are none. From now on nothing is kept until ``save``."""

    def save(self, token: str, states: Sequence[OperatorState], nodes: Sequence[Node], clock: RunClock) -> bool:
        """Keeps states under a token; returns whether that was possible."""

    def close(self) -> None:
        """Lets another task have it."""


class StateKeeper(Protocol):
    """Keeps the states of shares between epochs."""

    def open(self, name: str) -> KeptState | None:
        """Returns what is kept of a share, perhaps nothing yet; None if it cannot be used."""


@dataclass(frozen=True, slots=True)
class MapFolder(StateKeeper):
    """A folder of this machine, and how many bytes the maps in it may have; the oldest ones are removed."""

    path: str
    most_bytes: int

    @override
    def open(self, name: str) -> MappedState | None:
        return MappedState.open(self, name)


class MappedState(KeptState):
    """The map of one share. Only one task has it at a time; ``open`` returns None if another one does."""

    def __init__(self, folder: MapFolder, path: Path, lock: int) -> None:
        self._folder = folder
        self._path = path
        self._header = path.with_suffix(".header")
        self._lock = lock
        self._map: mmap.mmap | None = None
        self._start = self._size = 0

    @classmethod
    def open(cls, folder: MapFolder, name: str) -> MappedState | None:
        """Returns the map of a share, empty or not; None if it cannot be used."""
        if not _CAN_LOCK:
            return None
        lock = -1
        try:
            os.makedirs(folder.path, mode=0o700, exist_ok=True)
            if not _is_own(os.stat(folder.path)):
                return None
            path = Path(folder.path) / name
            lock = os.open(path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if lock >= 0:
                os.close(lock)
            return None
        return cls(folder, path.with_suffix(".map"), lock)

    @override
    def close(self) -> None:
        """Lets another task have it: the process of a worker lives on."""
        os.close(self._lock)

    @override
    def load(self, token: str, nodes: Sequence[Node], clock: RunClock) -> Sequence[OperatorState] | None:
        """Returns the states that were saved under a token, None if there are none. From now on there is no map until ``save``: the arrays may change."""
        try:
            with open(self._header, "rb") as file:
                if not _is_own(os.fstat(file.fileno())):
                    return None
                found, places, size, content = _read_header(file.read())
            os.unlink(self._header)
            if found != token:
                return None
            with open(self._path, "r+b") as file:
                if not size:
                    return _loads(content, [], nodes, clock)
                if os.fstat(file.fileno()).st_size < size:
                    return None
                self._map = mmap.mmap(file.fileno(), size)
        except (OSError, ValueError):
            return None
        view = memoryview(self._map)
        self._start, self._size = np.frombuffer(self._map, np.uint8).ctypes.data, size
        return _loads(content, [pickle.PickleBuffer(view[start : start + length]) for start, length in places], nodes, clock)

    @override
    def save(self, token: str, states: Sequence[OperatorState], nodes: Sequence[Node], clock: RunClock) -> bool:
        """Keeps states under a token: arrays that are in the map already stay where they are. Returns whether that was possible; if not, there is no map."""
        buffers: list[memoryview] = []
        try:
            self._header.unlink(missing_ok=True)
            content = _dumps(states, nodes, clock, lambda buffer: buffers.append(buffer.raw()))
            places, size = self._write(buffers)
            temporary = self._header.with_suffix(".new")
            with open(temporary, "wb") as file:
                file.write(pickle.dumps((token, places, size, content), protocol=5))
            os.replace(temporary, self._header)
            self._trim()
        except (
            OSError,
            pickle.PicklingError,
            AttributeError,
            TypeError,
        ):  # a full disk, a folder that was removed, or a value that cannot be pickled
            for path in (self._header, self._path):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
            return False
        return True

    def _write(self, buffers: Sequence[memoryview]) -> tuple[list[tuple[int, int]], int]:
        """Puts buffers into the file; returns where they are, and its size."""
        places: list[tuple[int, int]] = []
        fresh: list[tuple[int, memoryview]] = []
        end = self._size
        for buffer in buffers:
            address = np.frombuffer(buffer, np.uint8).ctypes.data if buffer.nbytes else 0
            if self._map is not None and buffer.nbytes and self._start <= address and address + buffer.nbytes <= self._start + self._size:
                places.append((address - self._start, buffer.nbytes))
                continue
            end += -end % _ALIGNMENT
            places.append((end, buffer.nbytes))
            fresh.append((end, buffer))
            end += buffer.nbytes
        used = sum(length for _, length in places)
        if self._map is not None and end <= 2 * used + _FEW_BYTES:
            if fresh:
                with open(self._path, "r+b") as file:
                    _fill(file.fileno(), end, fresh)
            return places, end
        places, fresh, end = [], [], 0
        for buffer in buffers:
            end += -end % _ALIGNMENT
            places.append((end, buffer.nbytes))
            fresh.append((end, buffer))
            end += buffer.nbytes
        temporary = self._path.with_suffix(".new")
        with open(temporary, "wb") as file:
            _fill(file.fileno(), end, fresh)
        os.replace(temporary, self._path)  # those who have mapped the old file keep it
        return places, end

    def _trim(self) -> None:
        """Removes the oldest maps of the folder if all together are too large."""
        found = []
        for path in Path(self._folder.path).glob("*.map"):
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._folder.most_bytes:
                return
            # A task that has mapped the file continues with it; its header is rewritten, and fits no file.
            for each in (path.with_suffix(".header"), path):
                with contextlib.suppress(OSError):
                    each.unlink()
            total -= size


def _is_own(status: os.stat_result) -> bool:
    """Whether nobody but the user of this process can write to a file or folder: what it holds is unpickled."""
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _read_header(content: bytes) -> tuple[str, list[tuple[int, int]], int, bytes]:
    try:
        token, places, size, states = pickle.loads(content)
    except Exception as error:
        raise ValueError("the header is damaged") from error
    return token, places, size, states


def _fill(descriptor: int, size: int, buffers: Sequence[tuple[int, memoryview]]) -> None:
    if size:
        os.posix_fallocate(descriptor, 0, size)  # writing to a mapped page of a full disk would end the process
    for start, buffer in buffers:
        written = 0
        while written < buffer.nbytes:
            written += os.pwrite(descriptor, buffer[written:], start + written)


class _Shared:
    """What states refer to, but do not hold: the operators, the clock, and the run. They are those of the task that loads the states."""

    def __init__(self, nodes: Sequence[Node], clock: RunClock) -> None:
        self.objects: list[Any] = [clock, *(node.operator for node in nodes)]


_loading: list[_Shared] = []


def _shared(number: int) -> Any:
    return _loading[-1].objects[number]


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shared: _Shared, keep: Callable[[pickle.PickleBuffer], object]) -> None:
        super().__init__(file, protocol=5, buffer_callback=lambda buffer: bool(keep(buffer)))
        self._numbers = {id(each): number for number, each in enumerate(shared.objects)}

    @override
    def reducer_override(self, obj: Any, /) -> Any:
        if isinstance(obj, ExecutionContext):
            return type(None), ()
        if type(obj) is np.ndarray and obj.flags.c_contiguous and obj.dtype.isbuiltin == 1 and not obj.dtype.hasobject:
            return _array, (obj.dtype.str, obj.shape, pickle.PickleBuffer(cast("Any", obj)))
        number = self._numbers.get(id(obj))
        return NotImplemented if number is None else (_shared, (number,))


def _array(dtype: str, shape: tuple[int, ...], buffer: Any) -> np.ndarray[Any, Any]:
    """Returns an array with one of numpy's own types. The type that pickle makes is equal, but not the same: with it, ``add.at`` is a hundred times slower."""
    return np.ndarray(shape, np.dtype(dtype), buffer)


def _dumps(states: Sequence[OperatorState], nodes: Sequence[Node], clock: RunClock, keep: Callable[[pickle.PickleBuffer], object]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, _Shared(nodes, clock), keep).dump(list(states))
    return file.getvalue()


def _loads(content: bytes, buffers: Sequence[pickle.PickleBuffer], nodes: Sequence[Node], clock: RunClock) -> Sequence[OperatorState]:
    _loading.append(_Shared(nodes, clock))
    try:
        states: Sequence[OperatorState] = pickle.loads(content, buffers=buffers)
    finally:
        _loading.pop()
    return states
