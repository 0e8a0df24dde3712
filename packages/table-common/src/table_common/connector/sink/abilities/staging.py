"""A sink that creates or replaces its table together with its first rows, or not at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

from table_common.frozen_dataclass import dataclass

__all__ = ["StagedTable", "StagingPurpose", "SupportsStaging"]


class StagingPurpose(Enum):
    """The statement."""

    CREATE_TABLE_AS = "CREATE_TABLE_AS"
    CREATE_TABLE_AS_IF_NOT_EXISTS = "CREATE_TABLE_AS_IF_NOT_EXISTS"
    REPLACE_TABLE_AS = "REPLACE_TABLE_AS"
    CREATE_OR_REPLACE_TABLE_AS = "CREATE_OR_REPLACE_TABLE_AS"


class StagedTable(ABC):
    """What becomes visible at once. All methods are called in the process of the client, ``begin`` before the sink's provider is asked for."""

    @abstractmethod
    def begin(self) -> None:
        """Prepares a place for the rows that nobody sees."""

    @abstractmethod
    def commit(self) -> None:
        """Makes the rows visible, in place of those that were there; called once, after the job's own commit."""

    @abstractmethod
    def abort(self) -> None:
        """Throws the rows away: everything is as before ``begin``; called when the job failed or was cancelled."""


class SupportsStaging(ABC):
    """Takes REPLACE TABLE AS atomically, and with ``table.rtas-ctas.atomicity-enabled`` also CREATE TABLE AS.

    The catalog has the new table only after ``commit``. Without the ability (or the option) the table is created first and dropped
    if the job fails.
    """

    @dataclass(frozen=True, slots=True)
    class StagingContext:
        """What the statement is."""

        staging_purpose: StagingPurpose

    @abstractmethod
    def apply_staging(self, context: StagingContext) -> StagedTable:
        """Tells the sink that its rows are staged, and returns what publishes them; the provider is asked for afterwards."""
