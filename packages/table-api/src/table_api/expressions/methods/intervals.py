"""Intervals from numbers: ``lit(5).minutes``, ``col("n").days``."""

from __future__ import annotations

from typing import Self

from table_api.expressions.literals import interval_of_months, interval_of_nanos
from table_api.expressions.node_holder import NodeHolder
from table_api.expressions.unresolved import Literal, UnresolvedExpression
from table_common.types import EXACT_INTEGERS

_MILLI = 1_000_000
_SECOND = 1000 * _MILLI
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


class IntervalMethods(NodeHolder):
    """Intervals from numbers."""

    __slots__ = ()

    @property
    def year(self) -> Self:
        """Returns an interval of this number of years; NULL stays NULL."""
        return self._months(12)

    @property
    def years(self) -> Self:
        """Returns an interval of this number of years; NULL stays NULL."""
        return self._months(12)

    @property
    def quarter(self) -> Self:
        """Returns an interval of this number of quarters; NULL stays NULL."""
        return self._months(3)

    @property
    def quarters(self) -> Self:
        """Returns an interval of this number of quarters; NULL stays NULL."""
        return self._months(3)

    @property
    def month(self) -> Self:
        """Returns an interval of this number of months; NULL stays NULL."""
        return self._months(1)

    @property
    def months(self) -> Self:
        """Returns an interval of this number of months; NULL stays NULL."""
        return self._months(1)

    @property
    def week(self) -> Self:
        """Returns an interval of this number of weeks; NULL stays NULL."""
        return self._nanos(7 * _DAY)

    @property
    def weeks(self) -> Self:
        """Returns an interval of this number of weeks; NULL stays NULL."""
        return self._nanos(7 * _DAY)

    @property
    def day(self) -> Self:
        """Returns an interval of this number of days; NULL stays NULL."""
        return self._nanos(_DAY)

    @property
    def days(self) -> Self:
        """Returns an interval of this number of days; NULL stays NULL."""
        return self._nanos(_DAY)

    @property
    def hour(self) -> Self:
        """Returns an interval of this number of hours; NULL stays NULL."""
        return self._nanos(_HOUR)

    @property
    def hours(self) -> Self:
        """Returns an interval of this number of hours; NULL stays NULL."""
        return self._nanos(_HOUR)

    @property
    def minute(self) -> Self:
        """Returns an interval of this number of minutes; NULL stays NULL."""
        return self._nanos(_MINUTE)

    @property
    def minutes(self) -> Self:
        """Returns an interval of this number of minutes; NULL stays NULL."""
        return self._nanos(_MINUTE)

    @property
    def second(self) -> Self:
        """Returns an interval of this number of seconds; NULL stays NULL."""
        return self._nanos(_SECOND)

    @property
    def seconds(self) -> Self:
        """Returns an interval of this number of seconds; NULL stays NULL."""
        return self._nanos(_SECOND)

    @property
    def milli(self) -> Self:
        """Returns an interval of this number of milliseconds; NULL stays NULL."""
        return self._nanos(_MILLI)

    @property
    def millis(self) -> Self:
        """Returns an interval of this number of milliseconds; NULL stays NULL."""
        return self._nanos(_MILLI)

    def _months(self, months: int) -> Self:
        number = _number_of(self._node)
        if number is not None:
            return self._of(interval_of_months(number * months))
        return self._call("TIMES", interval_of_months(months))

    def _nanos(self, nanos: int) -> Self:
        number = _number_of(self._node)
        if number is not None:
            return self._of(interval_of_nanos(number * nanos))
        return self._call("TIMES", interval_of_nanos(nanos))


def _number_of(node: UnresolvedExpression) -> int | None:
    return node.value if isinstance(node, Literal) and isinstance(node.type, EXACT_INTEGERS) and isinstance(node.value, int) else None
