"""GROUPING SETS, ROLLUP and CUBE as they are written in GROUP BY."""

from __future__ import annotations

from enum import Enum

from table_api.expressions.unresolved import UnresolvedExpression
from table_common.frozen_dataclass import dataclass


class GroupingSetsKind(Enum):
    """How grouping sets are written."""

    GROUPING_SETS = "GROUPING SETS"
    ROLLUP = "ROLLUP"
    CUBE = "CUBE"


@dataclass(frozen=True, slots=True)
class GroupingSets(UnresolvedExpression):
    """``GROUPING SETS ((a, b), ROLLUP (c), ())``: items are tuples of expressions or nested ``GroupingSets``."""

    kind: GroupingSetsKind
    items: tuple[tuple[UnresolvedExpression, ...] | GroupingSets, ...]


@dataclass(frozen=True, slots=True)
class DistinctGroupingSets(UnresolvedExpression):
    """``GROUP BY DISTINCT items``: the only item of GROUP BY; equal grouping sets are one."""

    items: tuple[UnresolvedExpression, ...]
