from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.streaming.over.versions import Versions


def versions(ranks: list[int], known: int, *, looks_back: bool = True, has_peers: bool = False) -> Versions:
    """One partition, 0; rows with equal ranks are equal."""
    numbers = np.array(ranks)
    return Versions(np.zeros(known, np.int64), numbers, numbers, looks_back=looks_back, has_peers=has_peers)


def taken(of: Versions) -> tuple[list[list[int]], list[Any]]:
    """Returns the rows of each version, and for each step its place and the places compared before and after it."""
    numbers, rows, steps = of.take()
    starts = np.searchsorted(numbers, np.arange(int(numbers.max(initial=-1)) + 1))
    pairs = [
        (step.change, step.place, None if step.before is None else list(zip(rows[step.before].tolist(), step.places.tolist(), strict=True)))
        for step in steps
    ]
    return [part.tolist() for part in np.split(rows, starts[1:])], pairs


def test_rows_at_the_end_share_a_version() -> None:
    of = versions([1, 2, 3], 1)
    of.add(0, 1, 0)
    of.add(0, 2, 1)
    assert of.size == 2  # so that a large partition is not evaluated for each row
    assert taken(of) == ([[0, 1, 2]], [(0, 1, None), (1, 2, None)])


def test_a_row_in_between_makes_a_version_and_is_compared_with_the_rows_behind_it() -> None:
    of = versions([1, 3, 2], 2)
    of.add(0, 2, 0)
    assert taken(of) == ([[0, 1], [0, 2, 1]], [(0, 1, [(1, 2)])])


def test_peers_are_compared_if_they_matter() -> None:
    of = versions([1, 1], 1, has_peers=True)
    of.add(0, 1, 0)
    assert taken(of) == ([[0], [0, 1]], [(0, 1, [(0, 0)])])


def test_rows_before_are_compared_if_calls_read_rows_behind() -> None:
    of = versions([1, 2], 1, looks_back=False)
    of.add(0, 1, 0)
    assert taken(of) == ([[0], [0, 1]], [(0, 1, [(0, 0)])])


def test_the_first_equal_row_is_removed() -> None:
    of = versions([1, 2, 2, 2], 3)
    assert of.remove(0, 3, 0) == 1
    assert taken(of) == ([[0, 1, 2], [0, 2]], [(0, 1, [(2, 2)])])


def test_a_row_that_is_not_there_is_not_removed() -> None:
    of = versions([1, 2], 1)
    assert of.remove(0, 1, 0) is None
    assert of.remove(7, 1, 0) is None
    assert taken(of) == ([[]], [])


def test_the_partitions_stay_after_the_steps_were_taken() -> None:
    of = versions([1, 2, 3], 0)
    of.add(0, 0, 0)
    of.take()
    of.add(0, 2, 1)
    of.add(0, 1, 2)
    assert taken(of) == ([[0, 2], [0, 1, 2]], [(1, 1, None), (2, 1, [(2, 2)])])
