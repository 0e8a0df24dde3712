from __future__ import annotations

from enum import Enum

import pytest

from table_common.exceptions import ValidationException
from table_common.types.symbols import JsonBehavior, JsonNullHandling, JsonType, JsonWrapper, TimeUnit, TrimMode, symbol_of


@pytest.mark.parametrize("kind", [TimeUnit, TrimMode, JsonNullHandling, JsonBehavior, JsonWrapper, JsonType])
def test_every_member_is_found_by_its_name_and_its_sql_text(kind: type[Enum]) -> None:
    for member in kind:
        assert symbol_of(member.name) is member
        assert symbol_of(member.value) is member


def test_case_does_not_matter() -> None:
    assert symbol_of("empty array") is JsonBehavior.EMPTY_ARRAY


def test_an_unknown_keyword_suggests_close_ones() -> None:
    with pytest.raises(ValidationException, match=r"Keyword 'MINUTS' does not exist.*MINUTE"):
        symbol_of("MINUTS")
