"""Readers of files that were made before: making one costs Spark a listing and a plan, and most statements read the same tables."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from pyspark.sql import DataFrame

from table_common.exceptions import TableError
from table_runtime.files import local_path, visible_files

__all__ = ["KnownFiles"]

_MOST = 256

_Files = tuple[tuple[str, int, int, int], ...]


class KnownFiles:
    """DataFrames over files of this machine, by what was read and how; one is used again as long as its files are the same."""

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, tuple[_Files, DataFrame]] = OrderedDict()
        self._lock = threading.Lock()

    def frame(self, paths: Sequence[str], key: Hashable, make: Callable[[], DataFrame]) -> DataFrame:
        """Returns the DataFrame that ``make`` makes or made; files that are elsewhere are listed by Spark each time."""
        files = _files(paths)
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


def _files(paths: Sequence[str]) -> _Files | None:
    """Returns what tells the files of these paths from those of another time."""
    found: list[tuple[str, int, int, int]] = []
    try:
        for path in paths:
            for _, file in visible_files(local_path(path)):
                state = file.stat()
                found.append((str(file), state.st_size, state.st_mtime_ns, state.st_ino))
    except (OSError, TableError):
        return None
    return tuple(found)
