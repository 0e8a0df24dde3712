"""Plots as PNG images."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Literal

import pytest

from sql_client.commands import run_prompt_command
from sql_client.plot_axis import Axis
from sql_client.plot_image import plot_image
from sql_client.session import ClientSession
from table_common.exceptions import ValidationException


def _pixels(image: bytes) -> tuple[int, int, list[bytes]]:
    """Reads the chunks of an image, with their check sums; returns its size and its rows of palette numbers."""
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    position, chunks = 8, {}
    while position < len(image):
        (length,) = struct.unpack_from(">I", image, position)
        kind, data = image[position + 4 : position + 8], image[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", image, position + 8 + length) == (zlib.crc32(kind + data),)
        chunks[kind] = data
        position += length + 12
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == (width + 1) * height
    return width, height, [lines[row * (width + 1) + 1 : (row + 1) * (width + 1)] for row in range(height)]


def test_the_points_are_where_their_values_are() -> None:
    width, height, rows = _pixels(plot_image([(0, 0), (10, 5), (float("nan"), 1)], width=400, height=300))
    assert (width, height) == (400, 300)
    blue = [(x, y) for y, row in enumerate(rows) for x, color in enumerate(row) if color == 3]
    assert len(blue) == 18  # two points of 3 by 3 pixels
    assert min(blue)[1] > max(blue)[1]  # the point on the right is above the one on the left


@pytest.mark.parametrize("points", [[], [(1.0, 1.0)], [(-1e300, 1e-300), (1e300, 5.0)], [(-1.23456e-7, -1.23456e-7), (0, 1.5e-3)]])
def test_any_points_are_drawn(points: list[tuple[float, float]]) -> None:
    assert _pixels(plot_image(points))[:2] == (960, 540)


@pytest.mark.parametrize("kind", ["timestamp", "time"])
@pytest.mark.parametrize("last", [0, 0.25, 59, 86_399])
def test_every_label_of_a_time_has_its_characters(kind: Literal["timestamp", "time"], last: float) -> None:
    numbers, times = (plot_image([(0, 0), (last, 1)], axes=(axis, Axis())) for axis in (Axis(), Axis(kind=kind)))
    assert _pixels(times) != _pixels(numbers)


def test_labels_of_timestamps_do_not_overlap() -> None:
    _, _, rows = _pixels(plot_image([(0, 0), (86_400, 1)], axes=(Axis(kind="timestamp"), Axis()), width=960, height=540))
    dates = [any(row[x] == 2 for row in rows[504:518]) for x in range(960)]
    gaps = "".join("x" if filled else " " for filled in dates).split(" " * 30)
    assert len([gap for gap in gaps if gap.strip()]) == 5


def test_the_command_writes_the_image(session: ClientSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = "SELECT * FROM (VALUES (1, 2.5), (2, 3.5)) AS t (a, b)"
    assert run_prompt_command(session, rf"\plot {tmp_path}/p.png a b {source}")
    assert f"Wrote {tmp_path}/p.png." in capfd.readouterr().out
    assert _pixels((tmp_path / "p.png").read_bytes())[0] == 960
    with pytest.raises(ValidationException, match=r"The image '.*none/p.png' cannot be written: No such file"):
        session.plot("a", "b", source, f"{tmp_path}/none/p.png")
