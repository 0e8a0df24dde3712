"""To which types the sides of a comparison are cast."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.inference.call_context import CallContext
from table_common.inference.comparable import comparable


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("INT", "BIGINT NOT NULL"), ("BIGINT", "BIGINT NOT NULL")),
        (("CHAR(2)", "STRING"), ("CHAR(2)", "STRING")),
        (("DATE", "CHAR(10) NOT NULL"), ("DATE", "DATE NOT NULL")),
        (("STRING", "TIMESTAMP(6) NOT NULL"), ("TIMESTAMP(6)", "TIMESTAMP(6) NOT NULL")),
        (("TIME(0)", "STRING"), ("TIME(0)", "TIME(0)")),
        (("STRING", "TIMESTAMP_LTZ(3)"), ("TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ(3)")),
        (("DATE", "TIMESTAMP(3)"), None),
        (("INT", "STRING"), None),
        (("BYTES", "STRING"), None),
    ],
    ids=str,
)
def test_text_beside_a_time_is_read_as_one(
    context: Callable[..., CallContext], given: tuple[str, ...], expected: tuple[str, ...] | None
) -> None:
    found = comparable(2, ordered=True, reads_temporal_text=True).infer(context(*given))
    assert (None if found is None else tuple(map(str, found))) == expected


def test_all_bounds_of_a_range_are_read(context: Callable[..., CallContext]) -> None:
    found = comparable(3, ordered=True, reads_temporal_text=True).infer(context("DATE", "STRING", "CHAR(10)"))
    assert found is not None
    assert list(map(str, found)) == ["DATE", "DATE", "DATE"]


def test_a_whole_number_beside_a_decimal_with_more_digits_than_both_can_have_is_compared_as_it_is(
    context: Callable[..., CallContext],
) -> None:
    found = comparable(3, ordered=True).infer(context("BIGINT", "DECIMAL(38, 37) NOT NULL", "INT"))
    assert found is not None
    assert list(map(str, found)) == ["DECIMAL(19, 0)", "DECIMAL(38, 37) NOT NULL", "DECIMAL(10, 0)"]
