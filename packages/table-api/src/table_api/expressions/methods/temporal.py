"""Functions of dates, times and text that holds them."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder, call_of
from table_api.expressions.symbols import TimeIntervalUnit
from table_api.expressions.unresolved import TypeLiteral
from table_common.types import DateType, TimestampType, TimeType


class TemporalMethods(NodeHolder):
    """Points in time from text, and their parts."""

    __slots__ = ()

    @property
    def to_date(self) -> Self:
        """Returns text such as ``2020-01-31`` as a DATE."""
        return self._call("CAST", TypeLiteral(DateType()))

    @property
    def to_time(self) -> Self:
        """Returns text such as ``12:30:00`` as a TIME."""
        return self._call("CAST", TypeLiteral(TimeType(0)))

    @property
    def to_timestamp(self) -> Self:
        """Returns text such as ``2020-01-31 12:30:00.123`` as a TIMESTAMP(3)."""
        return self._call("CAST", TypeLiteral(TimestampType(3)))

    def extract(self, time_interval_unit: TimeIntervalUnit) -> Self:
        """Returns a part of a point in time or of an interval, such as its year."""
        return self._of(call_of("EXTRACT", time_interval_unit, self))
