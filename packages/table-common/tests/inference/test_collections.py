from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.inference import collections
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy

Context = Callable[..., CallContext]


def test_arrays_are_cast_to_their_least_common_type(context: Context) -> None:
    inferred = collections.common_arrays(2, 2).infer(context("ARRAY<INT NOT NULL>", "ARRAY<BIGINT>"))
    assert inferred is not None
    assert [*map(str, inferred)] == ["ARRAY<BIGINT>", "ARRAY<BIGINT>"]


def test_arrays_without_a_common_type_do_not_fit(context: Context) -> None:
    assert collections.common_arrays(2, 2).infer(context("ARRAY<INT>", "ARRAY<BOOLEAN>")) is None


def test_an_element_that_goes_into_an_array_makes_its_elements_nullable(context: Context) -> None:
    inferred = collections.array_and_element(widens=True).infer(context("ARRAY<INT NOT NULL>", "INT"))
    assert inferred is not None
    assert str(inferred[0]) == "ARRAY<INT>"


@pytest.mark.parametrize(
    ("strategy", "given", "expected"),
    [
        (collections.accessed_element(), ("ARRAY<INT NOT NULL> NOT NULL", "INT"), "INT"),
        (collections.accessed_element(), ("MAP<STRING, BIGINT>", "STRING"), "BIGINT"),
        (collections.element_of(), ("ARRAY<INT NOT NULL> NOT NULL",), "INT NOT NULL"),
        (collections.element_of(), ("ARRAY<INT NOT NULL>",), "INT"),
        (collections.keys_of(), ("MAP<STRING NOT NULL, INT>",), "ARRAY<STRING NOT NULL>"),
        (collections.values_of(), ("MAP<STRING, INT>",), "ARRAY<INT>"),
        (collections.entries_of(), ("MAP<STRING, INT>",), "ARRAY<ROW<`key` STRING, `value` INT>>"),
        (collections.map_of_arrays(), ("ARRAY<STRING>", "ARRAY<INT>"), "MAP<STRING, INT>"),
    ],
)
def test_a_part_of_a_collection_has_its_type(context: Context, strategy: TypeStrategy, given: tuple[str, ...], expected: str) -> None:
    assert str(strategy(context(*given))) == expected


def test_a_constant_index_below_one_is_refused(context: Context, literal: Callable[[object, str], object]) -> None:
    with pytest.raises(ValidationException, match="counted from 1, but the index is 0"):
        collections.collection_and_key().infer(context("ARRAY<INT>", literal(0, "INT NOT NULL")))


def test_keys_and_values_take_turns_and_are_cast_apart(context: Context) -> None:
    call = context("STRING", "INT", "STRING", "BIGINT")
    inferred = collections.key_value_pairs().infer(call)
    assert inferred is not None
    assert [*map(str, inferred)] == ["STRING", "BIGINT", "STRING", "BIGINT"]
    assert str(collections.map_of_pairs()(call.with_types(inferred))) == "MAP<STRING, BIGINT> NOT NULL"
