from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import (
    DataTypeHint,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
    as_user_function,
    function_hint,
)


def inputs(function: type[UserDefinedFunction]) -> list[str]:
    found = as_user_function(function).signatures
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)}){'...' if s.is_var_args else ''}" for s in found]


def output(function: type[UserDefinedFunction]) -> str:
    return str(as_user_function(function).signatures[0].output.type)


class TwoSignatures(TableFunction[str]):
    @function_hint(input=["INT", "BOOLEAN"])
    @function_hint(input=["STRING"])
    def eval(self, *args: object) -> None: ...


def test_flip_65_method_hints_are_overloads() -> None:
    assert inputs(TwoSignatures) == ["(INT, BOOLEAN)", "(STRING)"]
    assert output(TwoSignatures) == "STRING NOT NULL"


def test_empty_hint_inside_input_is_an_error() -> None:
    with pytest.raises(ValidationException, match="empty DataTypeHint"):
        function_hint(input=[DataTypeHint()])


def test_class_hints_that_disagree_are_an_error() -> None:
    @function_hint(output="INT")
    @function_hint(output="STRING")
    class Disagreeing(ScalarFunction):
        @function_hint(input=["INT"])
        def eval(self, *args: object) -> Any: ...

    with pytest.raises(ValidationException, match="disagree on the output: INT, STRING"):
        as_user_function(Disagreeing)


def test_hint_of_the_method_goes_before_that_of_the_class() -> None:
    @function_hint(output="INT")
    class Preceded(ScalarFunction):
        @function_hint(output="BIGINT")
        def eval(self, a: int) -> Any: ...

    assert output(Preceded) == "BIGINT"


def test_named_arguments_of_a_hint() -> None:
    class Renamed(ScalarFunction):
        @function_hint(input={"low": "INT", "high": "INT"}, output="INT")
        def eval(self, *args: object) -> Any: ...

    assert as_user_function(Renamed).get_type_inference().argument_names == ("low", "high")
