"""Lookup sources: tables whose rows are looked up by key at run time."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.connector.source.dynamic import DynamicTableSource
from table_common.frozen_dataclass import dataclass


class LookupTableSource(DynamicTableSource):
    """A source that returns the rows of given keys: the right side of ``JOIN … FOR SYSTEM_TIME AS OF o.proc_time``.

    A source may be a ``ScanTableSource`` too, and have the abilities of one: filters and columns are pushed before the lookup is planned.

    Source: Flink's ``org.apache.flink.table.connector.source.LookupTableSource``.

    Example:
        >>> from table_common.connector import LookupFunction, LookupFunctionProvider
        >>> class Names(LookupTableSource):
        ...     def get_lookup_runtime_provider(self, context):
        ...         return LookupFunctionProvider(NamesByKey(context.key_positions))
        >>> class NamesByKey(LookupFunction):
        ...     def __init__(self, positions):
        ...         self.positions = positions
        >>> Names().get_lookup_runtime_provider(LookupTableSource.LookupContext(((1,),))).function.positions
        (1,)
    """

    @dataclass(frozen=True, slots=True)
    class LookupContext:
        """The context in which a source creates its lookup provider.

        ``keys`` are the columns by which rows are looked up, as paths of positions into the row that the source produces (with its
        projection applied), outermost first. Nested paths do not occur: every path has one step.
        """

        keys: tuple[tuple[int, ...], ...]

        @property
        def key_positions(self) -> tuple[int, ...]:
            """The positions of the key columns in the produced row."""
            return tuple(path[0] for path in self.keys)

    class LookupRuntimeProvider(ABC):  # noqa: B024  # a marker: planners know a few kinds
        """The part of a lookup source that runs; planners accept the lookup providers of ``table_common.connector.source``."""

    @abstractmethod
    def get_lookup_runtime_provider(self, context: LookupContext) -> LookupRuntimeProvider:
        """Returns the provider of lookups by the keys of the context, with all applied abilities.

        Raises:
            ValidationException: the source does not support lookups by these columns.
        """
