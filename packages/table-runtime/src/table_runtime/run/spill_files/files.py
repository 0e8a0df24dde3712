"""The spill files of one run."""

from __future__ import annotations

import tempfile
from collections import Counter
from typing import Any, Protocol

from table_runtime.run.job_metrics import JobMetrics
from table_runtime.run.spill_files.file import SpillFile, SpillUsage


class Spilling(Protocol):
    """An operator that spills."""

    @property
    def name(self) -> str:
        """The operator's name in plans."""

    @property
    def origin(self) -> Any:
        """The operator of the plan of which this one processes a part."""

    def details(self) -> str:
        """Returns the text in the operator's parentheses in plans."""


class SpillFiles:
    """Creates the files of a run, counts the bytes that each operator writes, and closes all files at the end.

    The files have no names, so nothing is left when the process ends, however it ends.
    """

    def __init__(self, folder: str | None, metrics: JobMetrics, *, compress: bool) -> None:
        self._folder = folder if folder is not None else tempfile.gettempdir()
        self._compress = compress
        self._metrics = metrics
        self._usages: dict[int, SpillUsage] = {}
        self._names: Counter[str] = Counter()
        self._files: list[SpillFile] = []

    def new(self, operator: Spilling) -> SpillFile:
        """Returns a new file. The copies of an operator that process its partitions count as the operator."""
        original, name = operator.origin, operator.name
        usage = self._usages.get(id(original))
        if usage is None:
            self._names[name] += 1
            usage = self._usages[id(original)] = SpillUsage()
            self._metrics.add(f"{name}[{self._names[name]}]", original.details, usage)
        file = SpillFile(self._folder, name, usage, compress=self._compress)
        self._files = [other for other in self._files if not other.is_closed] + [file]
        return file

    def spilled(self, operator: Spilling | None = None) -> int:
        """Returns the bytes that an operator of the plan, or all of them, have written so far."""
        return sum(usage.spilled for number, usage in self._usages.items() if operator is None or number == id(operator))

    def close(self) -> None:
        """Closes all files."""
        for file in self._files:
            file.close()
