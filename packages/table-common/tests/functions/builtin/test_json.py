from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import json

FAMILY = json


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_a_json_value_is_nullable_text_without_returning(inferred: Callable[[str], tuple[str, str]]) -> None:
    assert inferred('JSON_VALUE(STRING NOT NULL | "$.a" :: CHAR(3) NOT NULL) -> ')[0] == "STRING"
