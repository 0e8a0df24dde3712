"""A plot of two columns in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sql_client.plot_axis import Axis

PLOTTED_ROWS = 100_000
"""The number of rows that are drawn at most."""

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character: four rows of two dots."""


def plotted(
    points: Sequence[tuple[float, float]],
    *,
    axes: tuple[Axis, Axis] = (Axis(), Axis()),
    width: int = 72,
    height: int = 18,
    braille: bool = True,
) -> str:
    """Returns the points as a picture of text, with the ends of both axes.

    Args:
        points: the points; those that are not finite are left out.
        axes: the axes, which label their ends.
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
    labels = axes[1].labels(low, high, rows)[::-1]
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
    ends = axes[0].labels(left, right, 2)
    axis = f"{' ' * (margin + 2)}{ends[0]}{ends[1].rjust(columns - len(ends[0]))}"
    return "\n".join([*lines, f"{' ' * margin} +{'-' * columns}", axis])


def _place(value: float, low: float, high: float, steps: int) -> int:
    return 0 if high == low else min(steps - 1, int((value - low) / (high - low) * (steps - 1) + 0.5))
