from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import (
    AggregateFunction,
    ScalarFunction,
    TableFunction,
)


def test_two_methods_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationException) as error:

        class Twice(ScalarFunction):
            def eval(self, a: int) -> int:
                return a

            def eval(self, a: str) -> str:  # type: ignore[no-redef]  # noqa: F811  # what the test is about
                return a

    assert "typing.overload" in (error.value.hint or "")


def test_a_table_function_collects_rows_until_they_are_taken() -> None:
    class Words(TableFunction[str]):
        def eval(self, text: str) -> None:
            for word in text.split():
                self.collect(word)

    words = Words()
    words.eval("a b")
    assert words.take_collected() == ["a", "b"]
    assert words.take_collected() == []


def test_an_aggregate_names_the_method_that_it_lacks() -> None:
    class Nothing(AggregateFunction[int, list[int]]):
        pass

    with pytest.raises(ValidationException, match=r"Nothing does not define create_accumulator"):
        Nothing().create_accumulator()
    with pytest.raises(ValidationException, match=r"Nothing does not define get_value"):
        Nothing().get_value([])


def test_functions_are_deterministic_and_called_per_row_by_default() -> None:
    class Same(ScalarFunction):
        def eval(self, value: int) -> int:
            return value

    assert Same().is_deterministic()
    assert Same().func_type == "general"
    assert Same().get_type_inference() is None
