"""A source that evaluates filters itself, fully or in part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass

__all__ = ["SupportsFilterPushDown"]


class SupportsFilterPushDown(ABC):
    """Takes conjuncts of a WHERE clause."""

    @dataclass(frozen=True, slots=True)
    class Result:
        """Which filters the source applies and which must still be applied above it.

        Accepted and remaining together hold every filter given; one that the source applies only roughly (to whole files or row
        groups, say) is in both.
        """

        accepted_filters: tuple[ResolvedExpression, ...]
        remaining_filters: tuple[ResolvedExpression, ...]

    @abstractmethod
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> Result:
        """Gives the source the conjuncts; field references point into the source's full physical row, by name and position."""
