"""Alignment of sources: no source of a group is read far ahead of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from table_runtime.sources.watermark_progress import NO_WATERMARK


class Alignment(NamedTuple):
    """The group of a source, and by how many milliseconds its watermark may exceed the least one of the group."""

    group: str
    max_drift: int


def sources_to_read(sources: Mapping[int, Alignment | None], watermarks: Mapping[int, int | None]) -> Sequence[int]:
    """Returns the sources that may be read next, in their order.

    Args:
        sources: the sources that can be read, by number, with their groups; without those that are idle, which hold nobody back.
        watermarks: their watermarks; None for sources without event time, which are not aligned.
    """
    least: dict[str, int] = {}
    for number, alignment in sources.items():
        watermark = watermarks[number]
        if alignment is not None and watermark is not None:
            least[alignment.group] = min(watermark, least.get(alignment.group, watermark))
    return [
        number
        for number, alignment in sources.items()
        if alignment is None
        or (watermark := watermarks[number]) is None
        or watermark == NO_WATERMARK
        or watermark - least[alignment.group] <= alignment.max_drift
    ]
