"""A table that is asked for rows by key while a query runs."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.connector.source.dynamic import DynamicTableSource
from table_common.frozen_dataclass import dataclass

__all__ = ["LookupTableSource"]


class LookupTableSource(DynamicTableSource):
    """A source that gives the rows with given keys; what ``JOIN … FOR SYSTEM_TIME AS OF o.proc_time`` asks.

    A source may be a ``ScanTableSource`` too, and have the abilities of one: filters and columns are pushed before the lookup is planned.
    """

    @dataclass(frozen=True, slots=True)
    class LookupContext:
        """What a source may ask while it makes its provider.

        ``keys`` are the columns by which rows are looked up, as paths of positions into the row that the source produces (with its
        projection applied), outermost first. Nested paths do not occur as yet: every path has one step.
        """

        keys: tuple[tuple[int, ...], ...]

        @property
        def key_positions(self) -> tuple[int, ...]:
            """The positions of the key columns in the produced row."""
            return tuple(path[0] for path in self.keys)

    class LookupRuntimeProvider(ABC):  # noqa: B024  # a marker: planners know a few kinds
        """What really looks rows up; planners know a few kinds, see ``table_common.connector``."""

    @abstractmethod
    def get_lookup_runtime_provider(self, context: LookupContext) -> LookupRuntimeProvider:
        """Returns what looks rows up by the keys of the context, with everything applied that the abilities were given.

        Raises:
            ValidationException: the source cannot be asked by these columns.
        """
