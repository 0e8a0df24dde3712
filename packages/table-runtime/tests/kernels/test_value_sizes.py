"""Functions that could make values of any size from small ones."""

from __future__ import annotations

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.kernels.scalar import strings
from table_runtime.kernels.support.date_patterns import DatePattern


def test_padding_is_bounded() -> None:
    with pytest.raises(TableRuntimeException, match="268,435,456"):
        strings.lpad("x", 2_147_483_647, "y")


def test_replace_is_bounded_before_the_text_is_made() -> None:
    with pytest.raises(TableRuntimeException, match=r"REPLACE would create a value of 10,000,000,000 characters"):
        strings.replace("a" * 100_000, "a", "b" * 100_000)


@pytest.mark.parametrize("pattern", ["yyyyyyyyyyyy", "y" * 19])
def test_many_letters_of_a_year_are_read(pattern: str) -> None:
    assert DatePattern(pattern).read("0" * (len(pattern) - 4) + "2020") == (18262, 0, None)


def test_more_letters_than_java_takes_are_refused() -> None:
    with pytest.raises(TableRuntimeException, match="has 20 letters 'y' in a row, more than 19"):
        DatePattern("y" * 20)
