"""A plot of two columns in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from table_api import Table
from table_common.exceptions import ValidationException, closest
from table_common.types import DateType, TimestampType
from table_common.types.logical import NUMERICS

__all__ = ["PLOTTED_ROWS", "number_of", "plotted"]

PLOTTED_ROWS = 100_000
"""The number of rows that are drawn at most."""

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character: four rows of two dots."""


def number_of(table: Table, name: str) -> str:
    """Returns the SQL text of a column as a number: dates as days, timestamps as seconds, both since 1970.

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
        case DateType() | TimestampType():
            return f"CAST(TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', CAST({quoted} AS TIMESTAMP(3))) AS DOUBLE)"
        case _ if isinstance(data_type, NUMERICS):
            return f"CAST({quoted} AS DOUBLE)"
    raise ValidationException(
        f"Column '{plain}' of the type {data_type.summary()} cannot be drawn.", hint="a plot needs numbers, dates or timestamps"
    )


def plotted(points: Sequence[tuple[float, float]], *, width: int = 72, height: int = 18, braille: bool = True) -> str:
    """Returns the points as a picture of text, with the ends of both axes.

    Args:
        points: the points; those that are not finite are left out.
        width: how many columns the picture takes at most.
        height: how many lines it takes, with the axis.
        braille: draw with Braille characters, eight points each; else with asterisks.

    Example:
        >>> print(plotted([(0, 0), (1, 1), (2, 2)], width=20, height=4, braille=False))
        2 |               *
        1 |        *
        0 |*
          +----------------
           0              2
    """
    shown = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    if not shown:
        return "There are no points to draw: all values are NULL or not finite."
    left, right = min(x for x, _ in shown), max(x for x, _ in shown)
    low, high = min(y for _, y in shown), max(y for _, y in shown)
    rows = max(2, height - 1)
    labels = [_label(high - (high - low) * row / (rows - 1)) for row in range(rows)]
    margin = max(map(len, labels))
    columns = max(4, width - margin - 3)
    across, down = (2, 4) if braille else (1, 1)
    cells = [[0] * columns for _ in range(rows)]
    for x, y in shown:
        column = _place(x, left, right, columns * across)
        line = rows * down - 1 - _place(y, low, high, rows * down)
        cells[line // down][column // across] |= _DOTS[line % 4][column % 2] if braille else 1
    blank = chr(0x2800) if braille else " "
    lines = [
        f"{label.rjust(margin)} |{''.join((chr(0x2800 + cell) if braille else '*') if cell else blank for cell in row).rstrip(blank)}"
        for label, row in zip(labels, cells, strict=True)
    ]
    ends = _label(left), _label(right)
    axis = f"{' ' * (margin + 2)}{ends[0]}{ends[1].rjust(columns - len(ends[0]))}"
    return "\n".join([*lines, f"{' ' * margin} +{'-' * columns}", axis])


def _place(value: float, low: float, high: float, steps: int) -> int:
    return 0 if high == low else min(steps - 1, int((value - low) / (high - low) * (steps - 1) + 0.5))


def _label(value: float) -> str:
    return f"{value:.6g}"
