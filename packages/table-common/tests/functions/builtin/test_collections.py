from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.functions.builtin import collections

FAMILY = collections


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_an_index_below_one_is_refused(inferred: Callable[[str], tuple[str, str]]) -> None:
    with pytest.raises(ValidationException, match="counted from 1, but the index is 0"):
        inferred("AT(ARRAY<INT> | 0 :: INT NOT NULL) -> ")
