"""OVER windows of the Table API: ``Over.partition_by(…).order_by(…).preceding(…).following(…).alias("w")``.

After ``Table.over_window``, ``col("a").sum.over(col("w"))`` in ``select`` computes an aggregate over the window with the alias ``w``.
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

_T = TypeVar("_T")
_SYMBOLS = {
    "UNBOUNDED_ROW": (FrameUnit.ROWS, True),
    "UNBOUNDED_RANGE": (FrameUnit.RANGE, True),
    "CURRENT_ROW": (FrameUnit.ROWS, False),
    "CURRENT_RANGE": (FrameUnit.RANGE, False),
}
"""The symbolic frame bounds: their unit, and whether they are unbounded."""


class Over:
    """Builds an OVER window.

    Example:
        >>> from table_api.expressions import row_interval
        >>> Over.partition_by(col("a")).order_by(col("ts")).preceding(row_interval(2)).alias("w").named_window.name
        'w'

    Source: PyFlink's ``pyflink.table.window.Over``.
    """

    @classmethod
    def partition_by(cls, *partition_by: Expression) -> OverWindowPartitioned:
        """Returns a window that is partitioned by the values of the expressions."""
        return OverWindowPartitioned(tuple(map(to_unresolved, partition_by)))

    @classmethod
    def order_by(cls, order_by: Expression) -> OverWindowPartitionedOrdered:
        """Returns a window over all rows in an order, without partitions."""
        return OverWindowPartitioned(()).order_by(order_by)


class OverWindowPartitioned:
    """An OVER window before its order is set."""

    def __init__(self, partition_by: tuple[UnresolvedExpression, ...]) -> None:
        self._partition_by = partition_by

    def order_by(self, order_by: Expression) -> OverWindowPartitionedOrdered:
        """Returns the window with its order, ascending unless the expression ends with ``desc``."""
        tree = to_unresolved(order_by)
        key = tree if isinstance(tree, SortKey) else SortKey(tree)
        return OverWindowPartitionedOrdered(OverWindowSpec(self._partition_by, (key,)))


class OverWindowPartitionedOrdered:
    """An OVER window before its frame is set; the default frame is RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW."""

    def __init__(self, spec: OverWindowSpec) -> None:
        self._spec = spec

    def preceding(self, preceding: Expression) -> OverWindowPartitionedOrderedPreceding:
        """Returns the window with the lower bound of its frame.

        Args:
            preceding: ``row_interval(n)`` for a ROWS frame, an interval such as ``lit(5).minutes`` for a RANGE frame, or UNBOUNDED_ROW,
                UNBOUNDED_RANGE, CURRENT_ROW or CURRENT_RANGE.

        Raises:
            ValidationException: it is another expression.
        """
        return OverWindowPartitionedOrderedPreceding(self._spec, _bound(preceding, is_preceding=True))

    def alias(self, alias: str | Expression) -> OverWindow:
        """Returns the window with an alias, for ``over``."""
        return OverWindow(NamedWindow(name_of(alias), self._spec))


class OverWindowPartitionedOrderedPreceding:
    """An OVER window before the upper bound of its frame is set; the default is the current row."""

    def __init__(self, spec: OverWindowSpec, lower: tuple[FrameUnit, FrameBound]) -> None:
        self._spec = spec
        self._lower = lower
        self._upper: tuple[FrameUnit, FrameBound] | None = None

    def following(self, following: Expression) -> OverWindowPartitionedOrderedPreceding:
        """Returns the window with the upper bound of its frame; arguments and errors are those of ``preceding``."""
        result = OverWindowPartitionedOrderedPreceding(self._spec, self._lower)
        result._upper = _bound(following, is_preceding=False)
        return result

    def alias(self, alias: str | Expression) -> OverWindow:
        """Returns the window with an alias, for ``over``.

        Raises:
            ValidationException: one bound is of a ROWS frame, the other of a RANGE frame.
        """
        unit, lower = self._lower
        upper_unit, upper = self._upper if self._upper is not None else (unit, FrameBound(FrameBoundKind.CURRENT_ROW))
        if upper_unit is not unit:
            raise ValidationException(
                "preceding and following must both count rows (ROWS) or both be intervals (RANGE).",
                hint="UNBOUNDED_ROW and CURRENT_ROW go with row_interval, UNBOUNDED_RANGE and CURRENT_RANGE with intervals",
            )
        spec = OverWindowSpec(self._spec.partition_by, self._spec.order_by, unit, lower, upper)
        return OverWindow(NamedWindow(name_of(alias), spec))


class OverWindow:
    """An OVER window with an alias, the argument of ``Table.over_window``."""

    def __init__(self, window: NamedWindow) -> None:
        self._window = window

    @property
    def named_window(self) -> NamedWindow:
        """The alias and the specification, as in SQL's WINDOW clause."""
        return self._window


class OverWindowedTable(Generic[_T]):
    """A table with OVER windows, which ``select`` uses.

    Example:
        >>> from table_api.expressions import UNBOUNDED_ROW
        >>> from table_api.window import Over
        >>> numbers = env.sql_query("SELECT a FROM (VALUES (1), (2), (3)) AS t (a)")
        >>> windowed = numbers.over_window(Over.order_by(col("a")).preceding(UNBOUNDED_ROW).alias("w"))
        >>> sorted(row.total for row in windowed.select(col("a").sum.over(col("w")).alias("total")).execute().collect())
        [1, 3, 6]

    Source: PyFlink's ``pyflink.table.OverWindowedTable``.
    """

    def __init__(self, windows: Sequence[OverWindow], select: Callable[[Sequence[NamedWindow], tuple[Expression, ...]], _T]) -> None:
        """Internal; use ``Table.over_window``. ``select`` builds the table for the windows and the selected expressions."""
        self._windows = tuple(window.named_window for window in windows)
        self._select = select

    def select(self, *fields: Expression) -> _T:
        """Returns one row per input row, of columns, aggregates over the windows, and expressions over these."""
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
        "The bound of a window frame is row_interval(n), an interval such as lit(5).minutes, or one of UNBOUNDED_ROW, UNBOUNDED_RANGE, "
        "CURRENT_ROW and CURRENT_RANGE."
    )
