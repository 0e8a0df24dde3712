"""PRINTF: Java's format strings."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import strings
from table_runtime.kernels.support.printf import printf


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("%d-%s", (1, "a"), "1-a"),
        ("%2$s %1$s", ("a", "b"), "b a"),
        ("%,d|%,d", (1234567, -1234), "1,234,567|-1,234"),
        ("%05d|%-5d|%5d|%+d|% d|%(d", (42, 7, 7, 5, 5, -5), "00042|7    |    7|+5| 5|(5)"),
        ("%05d", (-42,), "-0042"),
        ("%x|%X|%o", (255, 255, 8), "ff|FF|10"),
        ("%x", (-1,), "f" * 16),
        ("%.2f|%f|%8.1f", (Decimal("2.345"), 1.5, -2.25), "2.35|1.500000|    -2.3"),
        ("%e|%.0e|%.2E", (12345.678, 0.0, 0.000123), "1.234568e+04|0e+00|1.23E-04"),
        ("%.1e", (99.99,), "1.0e+02"),
        ("%f|%+f", (float("nan"), float("-inf")), "NaN|-Infinity"),
        ("%b|%B|%b", (True, None, 0), "true|FALSE|true"),
        ("%s|%S|%.2s|%4s", (None, "abc", "abc", "x"), "null|ABC|ab|   x"),
        ("100%%%n", (), "100%\n"),
        ("%d", (None,), "null"),
    ],
)
def test_formats(template: str, values: tuple[Any, ...], expected: str) -> None:
    assert printf(template, *values) == expected


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("%d", ("a",)),
        ("%d", (1.5,)),
        ("%d", (True,)),
        ("%f", (1,)),
        ("%d %d", (1,)),
        ("%E", (b"\x00",)),
        ("%f", (datetime.date(2024, 1, 1),)),
        ("%e", ("a",)),
        ("%f", (True,)),
        ("%c", ("x",)),
        ("%c", (120,)),  # a BIGINT
        ("%2$s", (1,)),
        ("%z", (1,)),
        ("%", ()),
        (None, (1,)),
    ],
)
def test_a_template_that_does_not_match_its_values_gives_null(template: str | None, values: tuple[Any, ...]) -> None:
    assert printf(template, *values) is None


def test_a_character_is_an_integer_of_at_most_32_bits() -> None:
    assert printf("%c%C", 120, 97, bits=(32, 8)) == "xA"
    assert printf("%c", 0x110000, bits=(32,)) is None
    assert printf("%c", -1, bits=(32,)) is None
    assert printf("%c", 1 << 40, bits=(64,)) is None


@pytest.mark.parametrize("template", ["%999999999d", "%999999999s", "%.999999999f"])
def test_a_width_of_printf_is_bounded(template: str) -> None:
    with pytest.raises(
        TableRuntimeException, match=r"PRINTF would create a value of 999,999,999 characters, but a value may have 268,435,456"
    ):
        printf(template, 1)


@pytest.mark.parametrize(("type_", "expected"), [("TINYINT", "ff 377"), ("SMALLINT", "ffff 177777"), ("INT", "ffffffff 37777777777")])
def test_negative_integers_have_the_digits_of_their_type(outcome: Any, type_: str, expected: str) -> None:
    assert outcome(strings.PRINTF, "%x %o", (-1, type_), (-1, type_)) == expected
