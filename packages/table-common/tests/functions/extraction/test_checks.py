from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import AggregateFunction, ScalarFunction, as_user_function, function_hint


def inputs(function: Any) -> list[str]:
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)})" for s in as_user_function(function).signatures]


def method(signature: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(f"def eval(self, {signature}): ...", {}, namespace)
    return namespace["eval"]


@pytest.mark.parametrize(
    "signature",
    [
        "a: int, b: int",
        "a: int | None, b: int",
        "a: int, b: object",
        "a, b",
        "*args: object",
        "a: int, *rest: int",
        "a: int, b: int, c: int = 0",
    ],
)
def test_flip_65_resolution_finds_an_eval_that_takes_the_arguments(signature: str) -> None:
    class_ = type("F", (ScalarFunction,), {"eval": method(signature)})
    hinted = function_hint(input=["INT", "BIGINT"], output="INT")(class_)
    assert inputs(hinted) == ["(INT, BIGINT)"]


@pytest.mark.parametrize(
    ("signature", "reason"),
    [
        ("a: int", "it takes 1 arguments"),
        ("a: int, b: int, c: int", "it takes at least 3 arguments"),
        ("a: int, b: str", "its argument 'b' is of the class str, which values of BIGINT are not"),
    ],
)
def test_flip_65_resolution_refuses_an_eval_that_does_not(signature: str, reason: str) -> None:
    class_ = type("F", (ScalarFunction,), {"eval": method(signature)})
    with pytest.raises(ValidationException) as error:
        as_user_function(function_hint(input=["INT", "BIGINT"], output="INT")(class_))
    assert error.value.message.startswith("F.eval cannot be called with (a => <INT>, ")
    assert error.value.message.endswith(f"<BIGINT>): {reason}.")


def test_flip_65_resolution_checks_accumulate_too() -> None:
    @function_hint(input=["INT", "INT"])
    class Sum(AggregateFunction[int, list[int]]):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, accumulator: list[int], value: int) -> None: ...

        def get_value(self, accumulator: list[int]) -> int:
            return accumulator[0]

    with pytest.raises(ValidationException, match=r"accumulate cannot be called with .*it takes 1 arguments"):
        as_user_function(Sum)
