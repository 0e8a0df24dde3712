"""An axis of a plot: which column it shows, its values as numbers, and its labels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Literal

from table_api import Table
from table_common.exceptions import ValidationException, closest
from table_common.types import DateType, LocalZonedTimestampType, LogicalType, TimestampType, TimeType
from table_common.types.logical import NUMERICS

_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400


@dataclass(frozen=True)
class Axis:
    """A column on an axis; dates and times are numbers of seconds, since 1970 or since midnight."""

    expression: str = ""
    kind: Literal["number", "timestamp", "time"] = "number"

    def number(self, value: Any) -> float:
        """Returns a value of the column as its place on the axis."""
        match value:
            case datetime():
                return (value.replace(tzinfo=UTC) - _1970).total_seconds()
            case time():
                return (datetime.combine(_1970, value.replace(tzinfo=UTC)) - _1970).total_seconds()
            case _:
                return float(value)

    def labels(self, low: float, high: float, count: int) -> list[str]:
        """Returns the labels of ``count`` places, which are equally far from each other, from the lowest to the highest.

        Example:
            >>> Axis(kind="timestamp").labels(0, 86400, 3)
            ['1970-01-01 00:00', '1970-01-01 12:00', '1970-01-02 00:00']
        """
        step = (high - low) / (count - 1)
        places = [low + (high - low) * number / (count - 1) for number in range(count)]
        if self.kind == "number":
            return [f"{place:.6g}" for place in places]
        if high == low:  # the one value determines how exact the label is
            step = next((unit for unit in (60, 1) if low % unit == 0), 0)
        are_dates = all(place % _DAY == 0 for place in places) or (step >= _DAY and high - low >= 5 * _DAY)
        return [self._moment(place, step, is_date=are_dates) for place in places]

    def _moment(self, place: float, step: float, *, is_date: bool) -> str:
        moment = _1970 + timedelta(seconds=place)
        clock = moment.time().isoformat("minutes" if step >= 60 else "seconds" if step >= 1 else "milliseconds")
        if self.kind == "time":
            return clock
        return moment.date().isoformat() if is_date else f"{moment.date().isoformat()} {clock}"


def axis_of(table: Table, name: str) -> Axis:
    """Returns the axis of a column.

    Raises:
        ValidationException: the column does not exist, or is neither a number nor a time.
    """
    columns = {column.name: column.data_type for column in table.get_resolved_schema().columns}
    plain = name.strip("`")
    data_type = columns.get(plain)
    if data_type is None:
        similar = closest(plain, tuple(columns), limit=1)
        raise ValidationException(
            f"Column '{plain}' does not exist." + (f" Did you mean '{similar[0]}'?" if similar else f" Available: {', '.join(columns)}.")
        )
    quoted = f"`{plain.replace('`', '``')}`"
    match data_type:
        case DateType() | TimestampType() | LocalZonedTimestampType():
            return Axis(f"CAST({quoted} AS TIMESTAMP(6))", "timestamp")
        case TimeType():
            return Axis(quoted, "time")
        case LogicalType() if isinstance(data_type, NUMERICS):
            return Axis(f"CAST({quoted} AS DOUBLE)")
    raise ValidationException(
        f"Column '{plain}' of the type {data_type.summary()} cannot be drawn.", hint="a plot needs numbers, dates or times"
    )
