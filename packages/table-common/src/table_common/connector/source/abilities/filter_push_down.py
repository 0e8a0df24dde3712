"""A source that evaluates filters, exactly or approximately."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass


class SupportsFilterPushDown(ABC):
    """Accepts the conjuncts of a WHERE clause.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown``.

    Example:
        >>> class Pages(SupportsFilterPushDown):
        ...     def apply_filters(self, filters):
        ...         self.filters = tuple(filters)  # evaluated approximately, so all of them remain
        ...         return SupportsFilterPushDown.Result(accepted_filters=filters, remaining_filters=filters)
    """

    @dataclass(frozen=True, slots=True)
    class Result:
        """Which filters the source applies and which must still be applied above it.

        Every filter is in ``accepted_filters``, in ``remaining_filters``, or in both if the source applies it only approximately, such as
        to whole files or row groups.
        """

        accepted_filters: tuple[ResolvedExpression, ...]
        remaining_filters: tuple[ResolvedExpression, ...]

    @abstractmethod
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> Result:
        """Gives the source the conjuncts; field references point into the source's full physical row, by name and position."""
