"""A sink that creates or replaces its table together with its first rows, or not at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

from table_common.frozen_dataclass import dataclass


class StagingPurpose(Enum):
    """The statement.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsStaging.StagingPurpose``.

    Example:
        >>> SupportsStaging.StagingContext(StagingPurpose.CREATE_TABLE_AS).staging_purpose.name
        'CREATE_TABLE_AS'
    """

    CREATE_TABLE_AS = "CREATE_TABLE_AS"
    CREATE_TABLE_AS_IF_NOT_EXISTS = "CREATE_TABLE_AS_IF_NOT_EXISTS"
    REPLACE_TABLE_AS = "REPLACE_TABLE_AS"
    CREATE_OR_REPLACE_TABLE_AS = "CREATE_OR_REPLACE_TABLE_AS"


class StagedTable(ABC):
    """A table and its rows that become visible atomically. Methods run in the process of the client, ``begin`` before the sink creates its provider.

    Source: Flink's ``org.apache.flink.table.catalog.StagedTable``.

    Example:
        >>> class Renamed(StagedTable):
        ...     state = "none"
        ...     def begin(self):
        ...         self.state = "staged"
        ...     def commit(self):
        ...         self.state = "visible"
        ...     def abort(self):
        ...         self.state = "none"
        >>> staged = Renamed()
        >>> staged.begin()
        >>> staged.commit()
        >>> staged.state
        'visible'
    """

    @abstractmethod
    def begin(self) -> None:
        """Creates the staging area, which is not visible to readers."""

    @abstractmethod
    def commit(self) -> None:
        """Makes the rows visible, replacing existing ones; called once, after the commit of the job."""

    @abstractmethod
    def abort(self) -> None:
        """Discards the rows and restores the state before ``begin``; called if the job failed or was cancelled."""


class SupportsStaging(ABC):
    """Takes REPLACE TABLE AS atomically, and with ``table.rtas-ctas.atomicity-enabled`` also CREATE TABLE AS.

    The catalog has the new table only after ``commit``. Without the ability (or the option) the table is created first and dropped
    if the job fails.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsStaging``.

    Example:
        >>> class Folder(StagedTable):
        ...     def begin(self): ...
        ...     def commit(self): ...
        ...     def abort(self): ...
        >>> class Files(SupportsStaging):
        ...     def apply_staging(self, context):
        ...         self.staged = Folder()
        ...         return self.staged
        >>> type(Files().apply_staging(SupportsStaging.StagingContext(StagingPurpose.REPLACE_TABLE_AS))).__name__
        'Folder'
    """

    @dataclass(frozen=True, slots=True)
    class StagingContext:
        """The statement that stages the table."""

        staging_purpose: StagingPurpose

    @abstractmethod
    def apply_staging(self, context: StagingContext) -> StagedTable:
        """Tells the sink that its rows are staged, and returns the staged table; called before the sink creates its provider."""
