"""A sink that distributes rows over buckets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set


class SupportsBucketing(ABC):
    """Takes tables that are ``DISTRIBUTED BY``; a sink without it refuses them.

    The distribution is in the table's definition (``ResolvedCatalogTable.distribution``); the sink puts rows into buckets itself.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsBucketing``.

    Example:
        >>> class Hashed(SupportsBucketing):
        ...     def list_algorithms(self):
        ...         return {"HASH"}
        ...     def requires_bucket_count(self):
        ...         return True
        >>> Hashed().list_algorithms()
        {'HASH'}
    """

    @abstractmethod
    def list_algorithms(self) -> Set[str]:
        """Returns the distribution algorithms that the sink supports, ``HASH`` or ``RANGE``; a definition without one leaves the choice to the sink."""

    @abstractmethod
    def requires_bucket_count(self) -> bool:
        """Returns whether ``INTO n BUCKETS`` must be given."""
