"""Plans as drawings: boxes with the operations, and lines along which the rows go."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from table_common.terminal_text import escape_controls

_CHARACTER = 6.6
_LINE = 15
_PADDING = 8
_GAP = 28
_LEVEL_GAP = 46
_SHOWN_LINES = 6
_SHOWN_CHARACTERS = 46
_TOOLTIP_CHARACTERS = 2_000


@dataclass(frozen=True)
class GraphNode:
    """A node of a plan: its name, its details, what its output carries (such as the number of rows), and the positions of its inputs."""

    title: str
    details: Sequence[str] = ()
    output: str = ""
    inputs: Sequence[int] = ()

    @property
    def lines(self) -> list[str]:
        """The details, wrapped and cut for a box."""
        lines = [
            line for detail in self.details for line in textwrap.wrap(escape_controls(detail), _SHOWN_CHARACTERS, subsequent_indent="  ")
        ]
        return lines if len(lines) <= _SHOWN_LINES else [*lines[: _SHOWN_LINES - 1], "…"]

    @property
    def width(self) -> float:
        """The width of the box."""
        return 2 * _PADDING + _CHARACTER * max(len(line) for line in [self.title, *self.lines])

    @property
    def height(self) -> float:
        """The height of the box."""
        return 2 * _PADDING + _LINE * (1 + len(self.lines))


class PlanGraph:
    """The optimized plan of a query as a drawing; a notebook shows it by itself.

    The result is on top, the scans are at the bottom. A node with several consumers is drawn once. Lines show the estimated number of rows, if
    the engine has estimates, and in streaming mode the kinds of changes. The text under the mouse pointer has all details of a node.

    Example:
        >>> graph = env.sql_query("SELECT a FROM (VALUES (1), (2)) AS t (a) WHERE a > 1").explain_graph()
        >>> graph.svg.startswith("<svg ")
        True
        >>> graph.save("plan.svg")
    """

    def __init__(self, nodes: Sequence[GraphNode]) -> None:
        """``nodes`` come after their inputs; those that no other node reads are the results."""
        self._nodes = tuple(nodes)

    @property
    def svg(self) -> str:
        """The drawing as an SVG document."""
        return _svg(self._nodes)

    def save(self, file: str | Path) -> None:
        """Writes the drawing to a file; an existing file is replaced.

        Raises:
            OSError: the file cannot be written.
        """
        Path(file).write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"PlanGraph({len(self._nodes)} nodes; save('plan.svg') writes the drawing)"

    def _repr_svg_(self) -> str:
        return self.svg


def _svg(nodes: Sequence[GraphNode]) -> str:
    levels = _levels(nodes)
    centers, width = _centers(nodes)
    tops: list[float] = []
    top = float(_PADDING)
    for level in range(max(levels, default=-1) + 1):
        tops.append(top)
        top += max(node.height for node, own in zip(nodes, levels, strict=True) if own == level) + _LEVEL_GAP
    height = top - _LEVEL_GAP + _PADDING
    size = f'width="{width:.0f}" height="{height:.0f}"'
    font = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}" {font}>',
        f'<rect {size} fill="#ffffff"/>',
    ]
    for number, node in enumerate(nodes):
        bottom = tops[levels[number]] + node.height
        for place, child in enumerate(node.inputs):
            # Several inputs arrive at different points of the lower edge.
            x = centers[number] + node.width * ((place + 1) / (len(node.inputs) + 1) - 0.5) if len(node.inputs) > 1 else centers[number]
            parts.append(_line(centers[child], tops[levels[child]], x, bottom))
    for number, node in enumerate(nodes):
        parts += _box(node, centers[number], tops[levels[number]])
    return "\n".join([*parts, "</svg>"])


def _levels(nodes: Sequence[GraphNode]) -> list[int]:
    """Returns the level of each node from the top: below all of its consumers."""
    levels = [0] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        for child in nodes[number].inputs:
            levels[child] = max(levels[child], levels[number] + 1)
    return levels


def _centers(nodes: Sequence[GraphNode]) -> tuple[list[float], float]:
    """Returns the horizontal center of each node, and the width of the drawing: subtrees are side by side, consumers above their middle."""
    owned: list[list[int]] = [[] for _ in nodes]
    has_owner = [False] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        for child in nodes[number].inputs:
            if not has_owner[child]:  # a shared node stands below its last consumer
                has_owner[child] = True
                owned[number].append(child)
    widths = [0.0] * len(nodes)
    for number, node in enumerate(nodes):
        below = sum(widths[child] for child in owned[number]) + _GAP * max(0, len(owned[number]) - 1)
        widths[number] = max(node.width, below)
    centers = [0.0] * len(nodes)
    right = float(_PADDING)
    lefts = [0.0] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        if not has_owner[number]:
            lefts[number] = right
            right += widths[number] + _GAP
        centers[number] = lefts[number] + widths[number] / 2
        left = lefts[number] + (widths[number] - sum(widths[child] for child in owned[number]) - _GAP * max(0, len(owned[number]) - 1)) / 2
        for child in owned[number]:
            lefts[child] = left
            left += widths[child] + _GAP
    return centers, right - _GAP + _PADDING


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return (
        f'<path d="M {x:.1f} {y:.1f} C {x:.1f} {middle:.1f}, {to_x:.1f} {middle:.1f}, {to_x:.1f} {to_y + 5:.1f}" fill="none" stroke="#6b7280"/>'
        f'<path d="M {to_x - 4:.1f} {to_y + 7:.1f} L {to_x:.1f} {to_y:.1f} L {to_x + 4:.1f} {to_y + 7:.1f} Z" fill="#6b7280"/>'
    )


def _box(node: GraphNode, center: float, top: float) -> list[str]:
    left = center - node.width / 2
    tooltip = "\n".join([node.title, *map(escape_controls, node.details)])
    if len(tooltip) > _TOOLTIP_CHARACTERS:
        tooltip = tooltip[: _TOOLTIP_CHARACTERS - 1] + "…"
    parts = [
        f"<g><title>{escape(tooltip)}</title>",
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{node.width:.1f}" height="{node.height:.1f}" rx="4" fill="#eef2ff" stroke="#4f46e5"/>',
        f'<text x="{left + _PADDING:.1f}" y="{top + _PADDING + 10:.1f}" font-weight="bold" fill="#111827">{escape(node.title)}</text>',
    ]
    for number, line in enumerate(node.lines, 1):
        y = top + _PADDING + 10 + number * _LINE
        parts.append(f'<text x="{left + _PADDING:.1f}" y="{y:.1f}" fill="#374151" xml:space="preserve">{escape(line)}</text>')
    if node.output:
        # With a white outline, because lines may cross the text.
        halo = 'paint-order="stroke" stroke="#ffffff" stroke-width="3"'
        parts.append(f'<text x="{center + 6:.1f}" y="{top - 6:.1f}" fill="#374151" {halo}>{escape(node.output)}</text>')
    return [*parts, "</g>"]
