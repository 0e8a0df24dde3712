"""JSON text as values and back, up to the limits of nesting and of digits."""

from __future__ import annotations

from decimal import Decimal

import pytest

from table_common.json_text import MOST_LEVELS, NumberText, parse, write


def nested(levels: int, kind: str) -> str:
    return "[" * levels + "]" * levels if kind == "arrays" else '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize("kind", ["arrays", "objects"])
@pytest.mark.parametrize("levels", [1, 51, 350, MOST_LEVELS])
def test_values_as_deep_as_the_limit_are_read_and_written(kind: str, levels: int) -> None:
    value = nested(levels, kind)
    assert write(parse(value)) == value


@pytest.mark.parametrize("kind", ["arrays", "objects"])
@pytest.mark.parametrize("levels", [MOST_LEVELS + 1, 900, 100_000])
def test_deeper_values_are_refused(kind: str, levels: int) -> None:
    with pytest.raises(ValueError, match=f"more than {MOST_LEVELS} levels deep"):
        parse(nested(levels, kind))


def test_an_integer_of_too_many_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="an integer of more than 4,300 digits"):
        parse("9" * 5_000)


def test_numbers_are_written_as_they_were_read() -> None:
    assert write(parse('{"b":1.50,"a":[1E+2,7]}', keeps_digits=True)) == '{"b":1.50,"a":[1E+2,7]}'
    assert write([NumberText("1.0"), Decimal("1.00"), True, None, "ä"], sort_keys=True) == '[1.0,1.00,true,null,"ä"]'


@pytest.mark.parametrize("text", ["[1", "NaN", "{a:1}", ""])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting"):
        parse(text)
