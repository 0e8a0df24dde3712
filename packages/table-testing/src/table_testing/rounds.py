"""How long random tests run: a few rounds by default, all of them at night."""

from __future__ import annotations

import os

NIGHT = os.environ.get("TESTS", "") == "night"
"""Whether the environment variable ``TESTS`` is ``night``: every test runs at its full length."""
_PART = 5


def rounds(count: int) -> range:
    """Returns the numbers of the rounds of a random test that has ``count`` of them at night, and a fifth, at least one, otherwise.

    Example:
        >>> [number for number in rounds(10)]
        [0, 1]
    """
    return range(count if NIGHT else max(count // _PART, 1))
