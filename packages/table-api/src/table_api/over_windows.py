"""OVER windows of the Table API: ``Over.partition_by(…).order_by(…).preceding(…).following(…).alias("w")``.

``col("a").sum.over(col("w"))`` computes an aggregate over the window of that name, in the ``select`` after ``Table.over_window``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from table_api.expressions import Expression
from table_api.expressions.node_holder import name_of, to_unresolved
from table_api.expressions.unresolved import (
    FrameBound,
    FrameBoundKind,
    FrameUnit,
    Literal,
    NamedWindow,
    OverWindowSpec,
    SortKey,
    Symbol,
    UnresolvedExpression,
)
from table_common.exceptions import ValidationException
from table_common.types import EXACT_INTEGERS, INTERVALS

__all__ = [
    "Over",
    "OverWindow",
    "OverWindowPartitioned",
    "OverWindowPartitionedOrdered",
    "OverWindowPartitionedOrderedPreceding",
    "OverWindowedTable",
]

_T = TypeVar("_T")
_SYMBOLS = {
    "UNBOUNDED_ROW": (FrameUnit.ROWS, True),
    "UNBOUNDED_RANGE": (FrameUnit.RANGE, True),
    "CURRENT_ROW": (FrameUnit.ROWS, False),
    "CURRENT_RANGE": (FrameUnit.RANGE, False),
}
"""The named bounds: what they count, and whether they go as far as the partition."""


class Over:
    """Begins an OVER window."""

    @classmethod
    def partition_by(cls, *partition_by: Expression) -> OverWindowPartitioned:
        """Returns a window in which rows with equal values of these expressions are apart from all others."""
        return OverWindowPartitioned(tuple(map(to_unresolved, partition_by)))

    @classmethod
    def order_by(cls, order_by: Expression) -> OverWindowPartitionedOrdered:
        """Returns a window over all rows, in this order."""
        return OverWindowPartitioned(()).order_by(order_by)


class OverWindowPartitioned:
    """A window of which the order is to be said."""

    def __init__(self, partition_by: tuple[UnresolvedExpression, ...]) -> None:
        self._partition_by = partition_by

    def order_by(self, order_by: Expression) -> OverWindowPartitionedOrdered:
        """Returns the window in this order; ascending unless ``desc`` says otherwise."""
        tree = to_unresolved(order_by)
        key = tree if isinstance(tree, SortKey) else SortKey(tree)
        return OverWindowPartitionedOrdered(OverWindowSpec(self._partition_by, (key,)))


class OverWindowPartitionedOrdered:
    """A window whose frame may be said; without, it is all rows up to the current one and its peers."""

    def __init__(self, spec: OverWindowSpec) -> None:
        self._spec = spec

    def preceding(self, preceding: Expression) -> OverWindowPartitionedOrderedPreceding:
        """Returns the window whose frames begin so far before the current row.

        ``row_interval(n)`` counts rows, an interval such as ``lit(5).minutes`` goes by the order; or UNBOUNDED_ROW, UNBOUNDED_RANGE,
        CURRENT_ROW, CURRENT_RANGE.
        """
        return OverWindowPartitionedOrderedPreceding(self._spec, _bound(preceding, is_preceding=True))

    def alias(self, alias: str | Expression) -> OverWindow:
        """Returns the window under a name."""
        return OverWindow(NamedWindow(name_of(alias), self._spec))


class OverWindowPartitionedOrderedPreceding:
    """A window of which the end of the frame may be said; without, it is the current row."""

    def __init__(self, spec: OverWindowSpec, lower: tuple[FrameUnit, FrameBound]) -> None:
        self._spec = spec
        self._lower = lower
        self._upper: tuple[FrameUnit, FrameBound] | None = None

    def following(self, following: Expression) -> OverWindowPartitionedOrderedPreceding:
        """Returns the window whose frames end so far behind the current row; what it takes is what ``preceding`` takes."""
        result = OverWindowPartitionedOrderedPreceding(self._spec, self._lower)
        result._upper = _bound(following, is_preceding=False)
        return result

    def alias(self, alias: str | Expression) -> OverWindow:
        """Returns the window under a name.

        Raises:
            ValidationException: one bound counts rows, the other goes by the order.
        """
        unit, lower = self._lower
        upper_unit, upper = self._upper if self._upper is not None else (unit, FrameBound(FrameBoundKind.CURRENT_ROW))
        if upper_unit is not unit:
            raise ValidationException(
                "preceding and following must both count rows or both go by the order.",
                hint="UNBOUNDED_ROW and CURRENT_ROW go with row_interval, UNBOUNDED_RANGE and CURRENT_RANGE with intervals",
            )
        spec = OverWindowSpec(self._spec.partition_by, self._spec.order_by, unit, lower, upper)
        return OverWindow(NamedWindow(name_of(alias), spec))


class OverWindow:
    """A window with a name, for ``Table.over_window``."""

    def __init__(self, window: NamedWindow) -> None:
        self._window = window

    @property
    def named_window(self) -> NamedWindow:
        """The name with the specification, as a WINDOW clause of SQL has it."""
        return self._window


class OverWindowedTable(Generic[_T]):
    """A table with OVER windows; ``select`` computes over them."""

    def __init__(self, windows: Sequence[OverWindow], select: Callable[[Sequence[NamedWindow], tuple[Expression, ...]], _T]) -> None:
        """``select`` makes the table of the windows and of what is selected; it is the table that knows how."""
        self._windows = tuple(window.named_window for window in windows)
        self._select = select

    def select(self, *fields: Expression) -> _T:
        """Returns one row per row: columns, aggregates over windows, and what is computed from them."""
        return self._select(self._windows, fields)


def _bound(bound: Expression, *, is_preceding: bool) -> tuple[FrameUnit, FrameBound]:
    tree = to_unresolved(bound)
    if isinstance(tree, Symbol) and tree.name in _SYMBOLS:
        unit, is_unbounded = _SYMBOLS[tree.name]
        if not is_unbounded:
            return unit, FrameBound(FrameBoundKind.CURRENT_ROW)
        return unit, FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING if is_preceding else FrameBoundKind.UNBOUNDED_FOLLOWING)
    if isinstance(tree, Literal) and isinstance(tree.type, (*EXACT_INTEGERS, *INTERVALS)):
        unit = FrameUnit.ROWS if isinstance(tree.type, EXACT_INTEGERS) else FrameUnit.RANGE
        return unit, FrameBound(FrameBoundKind.PRECEDING if is_preceding else FrameBoundKind.FOLLOWING, tree)
    raise ValidationException(
        "The bound of a window is row_interval(n), an interval such as lit(5).minutes, or one of UNBOUNDED_ROW, UNBOUNDED_RANGE, "
        "CURRENT_ROW and CURRENT_RANGE."
    )
