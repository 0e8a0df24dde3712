"""Caches DataFrames over files: creating one costs Spark a listing and an analysis, and most statements read the same tables."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

from pyspark.sql import DataFrame

_MOST = 256

_Files = tuple[tuple[str, int, int, int], ...]


class FileRelationCache:
    """DataFrames over local files, by what they read and how. One is reused as long as its files are unchanged."""

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, tuple[_Files, DataFrame]] = OrderedDict()
        self._lock = threading.Lock()

    def frame(self, paths: Sequence[Path] | None, key: Hashable, make: Callable[[], DataFrame]) -> DataFrame:
        """Returns the cached DataFrame of these files, or else that of ``make``. None stands for remote files, which are never cached."""
        files = None if paths is None else _files(paths)
        if files is None:
            return make()
        with self._lock:
            known = self._frames.get(key)
            if known is not None and known[0] == files:
                self._frames.move_to_end(key)
                return known[1]
        frame = make()
        with self._lock:
            self._frames[key] = (files, frame)
            self._frames.move_to_end(key)
            while len(self._frames) > _MOST:
                self._frames.popitem(last=False)
        return frame


def _files(paths: Sequence[Path]) -> _Files | None:
    """Returns path, size, modification time and inode of each file, which reveal a change; None if one cannot be read."""
    found: list[tuple[str, int, int, int]] = []
    try:
        for path in paths:
            state = path.stat()
            found.append((str(path), state.st_size, state.st_mtime_ns, state.st_ino))
    except OSError:
        return None
    return tuple(found)
