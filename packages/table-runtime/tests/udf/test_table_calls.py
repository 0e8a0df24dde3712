"""Table functions: what they may yield, return and collect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import TableFunction, as_user_function, function_hint
from table_common.types import ArrayType, parse_logical_type
from table_runtime.udf import Invocation, make_invoker


def rows(function: Any, column: pa.Array, type_: str = "STRING") -> list[Any]:
    definition = as_user_function(function)
    element = definition.signatures[0].output.type
    assert element is not None
    result: list[Any] = make_invoker(Invocation(definition, [parse_logical_type(type_)], ArrayType(element)))(
        [column], len(column)
    ).to_pylist()
    return result


class Yielding(TableFunction[str]):
    def eval(self, text: str) -> Iterator[str]:
        yield from text.split()


class Returning(TableFunction[str]):
    def eval(self, text: str) -> list[str]:
        return text.split()


class Collecting(TableFunction[str]):
    def eval(self, text: str) -> None:
        for word in text.split():
            self.collect(word)


@pytest.mark.parametrize("function", [Yielding, Returning, Collecting])
def test_rows_may_be_yielded_returned_or_collected(function: Any) -> None:
    assert rows(function, pa.array(["a b", "", None, "c"])) == [["a", "b"], [], None, ["c"]]


@function_hint(output="ROW<word STRING, size INT>")
class Pairs(TableFunction[Row]):
    def eval(self, text: str) -> None:
        self.collect(Row(text, len(text)))
        self.collect((text, None))  # type: ignore[arg-type]


def test_rows_of_several_columns_are_rows_or_tuples() -> None:
    assert rows(Pairs, pa.array(["ab"])) == [[{"word": "ab", "size": 2}, {"word": "ab", "size": None}]]


class Failing(TableFunction[int]):
    def eval(self, a: int) -> Iterator[int]:
        yield 10 // a


def test_exception_of_a_generator_names_the_row() -> None:
    with pytest.raises(TableRuntimeException, match=r"Failing failed in row 2 of the batch, called with \(0\): ZeroDivisionError"):
        rows(Failing, pa.array([1, 0]), "BIGINT")
