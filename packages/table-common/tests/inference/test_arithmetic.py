from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.inference import arithmetic
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy

Context = Callable[..., CallContext]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("INT", "BIGINT"), ("BIGINT", "BIGINT")),
        (("DECIMAL(5, 2)", "DECIMAL(10, 0)"), ("DECIMAL(5, 2)", "DECIMAL(10, 0)")),
        (("INT", "DECIMAL(5, 2)"), ("DECIMAL(10, 0)", "DECIMAL(5, 2)")),
        (("FLOAT", "INT"), ("FLOAT", "FLOAT")),
        (("INT", "STRING"), None),
    ],
)
def test_numbers_take_their_common_type_and_decimals_keep_their_digits(
    context: Context, given: tuple[str, str], expected: tuple[str, str] | None
) -> None:
    inferred = arithmetic.numbers().infer(context(*given))
    assert (None if inferred is None else tuple(map(str, inferred))) == expected


@pytest.mark.parametrize(
    ("strategy", "given", "expected"),
    [
        (arithmetic.sum_of_numbers(), ("DECIMAL(5, 2)", "DECIMAL(5, 2)"), "DECIMAL(6, 2)"),
        (arithmetic.multiplication(), ("DECIMAL(5, 2)", "DECIMAL(5, 2)"), "DECIMAL(11, 4)"),
        (arithmetic.division(), ("INT", "INT NOT NULL"), "INT"),
        (arithmetic.modulo(), ("INT NOT NULL", "TINYINT NOT NULL"), "TINYINT NOT NULL"),
        (arithmetic.decimal_to_scale_zero(), ("DECIMAL(5, 2)",), "DECIMAL(5, 0)"),
        (arithmetic.total(), ("DECIMAL(5, 2)",), "DECIMAL(38, 2)"),
        (arithmetic.average(), ("DECIMAL(5, 2)",), "DECIMAL(38, 6)"),
        (arithmetic.average(), ("INT",), "INT"),
        (arithmetic.plus_interval(0, 1), ("DATE", "INTERVAL MONTH"), "DATE"),
        (arithmetic.plus_interval(0, 1), ("TIMESTAMP(3)", "INTERVAL SECOND(3)"), "TIMESTAMP(3)"),
    ],
)
def test_a_result_has_the_type_of_its_digits(context: Context, strategy: TypeStrategy, given: tuple[str, ...], expected: str) -> None:
    assert str(strategy(context(*given))) == expected


def test_rounding_keeps_the_digits_that_a_constant_leaves(context: Context, literal: Callable[[object, str], object]) -> None:
    assert str(arithmetic.rounded()(context("DECIMAL(5, 2)", literal(1, "INT NOT NULL")))) == "DECIMAL(5, 1)"
    assert str(arithmetic.rounded()(context("INT", literal(1, "INT NOT NULL")))) == "INT"


def test_two_intervals_are_of_one_family(context: Context) -> None:
    assert arithmetic.two_intervals().infer(context("INTERVAL DAY", "INTERVAL SECOND(3)")) is not None
    assert arithmetic.two_intervals().infer(context("INTERVAL DAY", "INTERVAL MONTH")) is None
