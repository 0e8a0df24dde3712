"""The interface of a write on Spark: a DataFrame, and how its rows are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pyspark.sql import DataFrame

from table_runtime.files import FileChanges


class SinkWrite(Protocol):
    """A prepared write."""

    @property
    def frame(self) -> DataFrame:
        """The rows, with columns encoded for the writer."""

    def run(self, frame: DataFrame, changes: FileChanges, write_id: str, begin_commit: Callable[[], None]) -> None:
        """Writes the rows.

        Args:
            frame: ``self.frame``, or the same rows with an observation.
            changes: The files of the whole job, which become visible when all its writes are complete.
            write_id: Identifies this write, uniquely among all jobs.
            begin_commit: Called before rows are committed in this process; raises if the job was cancelled, and afterwards it is not cancelled any more.

        Raises:
            TableException: the connector failed.
        """
