"""Names of columns that occur twice get numbers, as SQL gives them."""

from __future__ import annotations

import pytest

from table_api.resolution.unique_names import unique_names


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a0", "a1"]),
        (["a", "a0", "a", "a"], ["a", "a0", "a1", "a2"]),
        (["a", "a", "a0", "a0"], ["a", "a0", "a00", "a01"]),
        (["a0", "a", "a", "a0"], ["a0", "a", "a1", "a00"]),
    ],
)
def test_a_repeated_name_gets_the_first_number_that_is_free(names: list[str], expected: list[str]) -> None:
    assert unique_names(names) == expected
