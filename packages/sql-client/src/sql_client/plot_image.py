"""A plot of two columns as a PNG image, written without a library for images."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence

from sql_client.plot_axis import Axis
from table_common.exceptions import ValidationException
from table_common.gate import AllowedPath

_MARGIN = 30
_SCALE = 2
"""The pixels of a dot of the font."""
_ADVANCE = 6 * _SCALE
"""The pixels from one character to the next."""
_LINE = 18
"""The pixels from one line of text to the next."""
_TICKS = 5
"""The number of labels of an axis."""
_GLYPHS = {
    " ": "00000 00000 00000 00000 00000 00000 00000",
    "0": "01110 10001 10011 10101 11001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00010 00100 01000 11111",
    "3": "11111 00010 00100 00010 00001 10001 01110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
    ".": "00000 00000 00000 00000 00000 01100 01100",
    "-": "00000 00000 00000 11111 00000 00000 00000",
    "+": "00000 00100 00100 11111 00100 00100 00000",
    ":": "00000 01100 01100 00000 01100 01100 00000",
    "e": "00000 00000 01110 10001 11111 10000 01110",
}
"""The characters of numbers and times, seven lines of five dots each."""
_WHITE, _GRAY, _BLACK, _BLUE = range(4)
_PALETTE = bytes((255, 255, 255, 200, 200, 200, 0, 0, 0, 31, 119, 180))


class _Canvas:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [bytearray(width) for _ in range(height)]

    def fill(self, left: int, top: int, right: int, bottom: int, color: int) -> None:
        """Fills a rectangle; its ends are inside. What is outside of the canvas is left out."""
        left, right = max(left, 0), min(right, self.width - 1)
        if left > right or bottom < 0:
            return
        for row in self._rows[max(top, 0) : bottom + 1]:
            row[left : right + 1] = bytes((color,)) * (right - left + 1)

    def text(self, left: int, top: int, text: str) -> None:
        for number, character in enumerate(text):
            x = left + number * _ADVANCE
            for down, line in enumerate(_GLYPHS[character].split()):
                for across, dot in enumerate(line):
                    if dot == "1":
                        self.fill(x + across * _SCALE, top + down * _SCALE, x + across * _SCALE + 1, top + down * _SCALE + 1, _BLACK)

    def png(self) -> bytes:
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 3, 0, 0, 0)  # 8 bits per pixel, colors of a palette
        pixels = zlib.compress(b"".join(b"\0" + row for row in self._rows), 9)
        parts = ((b"IHDR", header), (b"PLTE", _PALETTE), (b"IDAT", pixels), (b"IEND", b""))
        chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def plot_image(
    points: Sequence[tuple[float, float]], *, axes: tuple[Axis, Axis] = (Axis(), Axis()), width: int = 960, height: int = 540
) -> bytes:
    """Returns the points as a PNG image, with labels at the axes.

    Args:
        points: the points; those that are not finite are left out.
        axes: the axes, which label their places.
        width: the width in pixels.
        height: the height in pixels.

    Example:
        >>> plot_image([(0, 0), (1, 1)])[1:4]
        b'PNG'
    """
    shown = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    canvas = _Canvas(width, height)
    first, last = min((x for x, _ in shown), default=0.0), max((x for x, _ in shown), default=0.0)
    low, high = min((y for _, y in shown), default=0.0), max((y for _, y in shown), default=0.0)
    labels = axes[1].labels(low, high, _TICKS)
    left, top, right, bottom = max(map(len, labels)) * _ADVANCE + 16, _MARGIN, width - _MARGIN, height - _MARGIN - _LINE
    for tick, label in enumerate(labels):
        y = bottom - (bottom - top) * tick // (_TICKS - 1)
        canvas.fill(left, y, right, y, _GRAY)
        canvas.text(left - 8 - len(label) * _ADVANCE, y - 7, label)
    for tick, label in enumerate(axes[0].labels(first, last, _TICKS)):
        x = left + (right - left) * tick // (_TICKS - 1)
        canvas.fill(x, top, x, bottom, _GRAY)
        for number, line in enumerate(label.split(" ")):  # a time stands below its date
            extent = len(line) * _ADVANCE
            canvas.text(max(0, min(x - extent // 2, width - extent)), bottom + 12 + number * _LINE, line)
    canvas.fill(left, top, left, bottom, _BLACK)
    canvas.fill(left, bottom, right, bottom, _BLACK)
    for x_value, y_value in shown:
        x = left + _place(x_value, first, last, right - left)
        y = bottom - _place(y_value, low, high, bottom - top)
        canvas.fill(x - 1, y - 1, x + 1, y + 1, _BLUE)
    return canvas.png()


def write_plot(points: Sequence[tuple[float, float]], file: AllowedPath, axes: tuple[Axis, Axis]) -> None:
    """Writes the image of the points.

    Raises:
        ValidationException: the file cannot be written.
    """
    try:
        file.write_bytes(plot_image(points, axes=axes))
    except OSError as error:
        raise ValidationException(f"The image '{file}' cannot be written: {error.strerror or error}.") from error


def _place(value: float, low: float, high: float, length: int) -> int:
    return 0 if high == low else round((value - low) / (high - low) * length)
