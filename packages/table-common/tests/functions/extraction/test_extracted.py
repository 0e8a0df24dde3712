from __future__ import annotations

from typing import Annotated, Any, overload

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions import DataTypeHint, ScalarFunction, as_user_function, function_hint
from table_common.types import parse_logical_type


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


class ExactFirst(ScalarFunction):
    @overload
    def eval(self, a: float) -> float: ...
    @overload
    def eval(self, a: int) -> int: ...
    @overload
    def eval(self, a: Annotated[int, DataTypeHint("INT")]) -> str: ...
    def eval(self, a: Any) -> Any: ...


def test_exact_types_go_before_implicit_casts_in_whatever_order_they_are_declared() -> None:
    assert [typed(ExactFirst, f"{type_} NOT NULL") for type_ in ("INT", "BIGINT", "DOUBLE", "SMALLINT", "FLOAT")] == [
        "STRING NOT NULL",
        "BIGINT NOT NULL",
        "DOUBLE NOT NULL",
        "STRING NOT NULL",
        "DOUBLE NOT NULL",
    ]


def test_signatures_with_the_same_arguments_are_refused() -> None:
    @function_hint(input=["INT"], output="INT")
    @function_hint(input=["INT NOT NULL"], output="STRING")
    class Twice(ScalarFunction):
        def eval(self, *args: object) -> Any: ...

    with pytest.raises(ValidationException, match="two signatures with the same arguments"):
        as_user_function(Twice)


class VarArgs(ScalarFunction):
    def eval(self, prefix: str, *numbers: int) -> int:
        return sum(numbers)


@pytest.mark.parametrize("types", [["STRING"], ["STRING", "INT"], ["STRING", "INT", "BIGINT", "TINYINT"]])
def test_flip_65_var_args_are_extracted(types: list[str]) -> None:
    assert typed(VarArgs, *types).startswith("BIGINT")


def test_flip_65_var_args_are_of_one_type() -> None:
    with pytest.raises(ValidationException, match=r"Accepted: .*\[<BIGINT>\]\.\.\."):
        typed(VarArgs, "STRING", "STRING")


def test_flip_65_is_var_args_false_leaves_the_rest_out() -> None:
    class Fixed(VarArgs):
        @function_hint(is_var_args=False)
        def eval(self, prefix: str, *numbers: int) -> int:
            return 1

    with pytest.raises(ValidationException, match="takes 1 argument"):
        typed(Fixed, "STRING", "INT")


def test_flip_65_is_var_args_without_arguments_is_refused() -> None:
    class Nothing(ScalarFunction):
        @function_hint(input=[], is_var_args=True, output="INT")
        def eval(self, *args: object) -> Any: ...

    with pytest.raises(ValidationException, match="says is_var_args, but there is no argument to repeat"):
        as_user_function(Nothing)
