"""FLIP-65's examples of functions, and how signatures are extracted."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import pytest

from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions import (
    DataTypeHint,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
    as_user_function,
    function_hint,
)
from table_common.types import parse_logical_type


def inputs(function: type[UserDefinedFunction]) -> list[str]:
    found = as_user_function(function).signatures
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)}){'...' if s.is_var_args else ''}" for s in found]


def output(function: type[UserDefinedFunction]) -> str:
    return str(as_user_function(function).signatures[0].output.type)


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


# --- the FLIP's examples ----------------------------------------------------------------------------------------------------------


@function_hint(output=DataTypeHint("ROW<a STRING, b INT>"))
class RowFunction(TableFunction[Row]):
    def eval(self, a: int, b: int, c: int) -> None: ...


def test_flip_65_class_hint_of_the_output_only() -> None:
    assert inputs(RowFunction) == ["(BIGINT, BIGINT, BIGINT)"]
    assert output(RowFunction) == "ROW<`a` STRING, `b` INT>"


@function_hint(input=[DataTypeHint(take_arbitrary_input=True)], is_var_args=True, output="STRING")
class Arbitrary(TableFunction[Any]):
    def eval(self, *args: object) -> None: ...


def test_flip_65_arbitrary_input() -> None:
    assert inputs(Arbitrary) == ["(None)..."]
    assert typed(Arbitrary, "INT", "ARRAY<STRING>") == "STRING"


@function_hint(output="ROW<a INT, b STRING>")
class ClassAndMethod(TableFunction[Row]):
    @function_hint(input=["INT"])
    @function_hint(input=["BOOLEAN"])
    def eval(self, *args: object) -> None: ...


def test_flip_65_class_hint_applies_to_all_method_hints() -> None:
    assert inputs(ClassAndMethod) == ["(INT)", "(BOOLEAN)"]
    assert {str(s.output.type) for s in as_user_function(ClassAndMethod).signatures} == {"ROW<`a` INT, `b` STRING>"}


class HintedParameter(ScalarFunction):
    def eval(self, dec: Annotated[Decimal, DataTypeHint("DECIMAL(5, 2)")], i: int, b: bool) -> int:
        return 1


def test_flip_65_help_for_some_of_the_parameters() -> None:
    assert inputs(HintedParameter) == ["(DECIMAL(5, 2), BIGINT, BOOLEAN)"]


class Joda:
    def __init__(self, *parts: object) -> None: ...


class AnyParameter(ScalarFunction):
    def eval(self, t: Annotated[Joda, DataTypeHint("ANY")]) -> int:
        return 1


def test_flip_65_any_of_a_class() -> None:
    assert inputs(AnyParameter) == [f"(RAW('{__name__}.Joda', 'pickle'))"]


class PrefixAndAny(TableFunction[str]):
    def eval(self, prefix: str, obj: Annotated[Any, DataTypeHint(take_arbitrary_input=True)]) -> None: ...


def test_flip_65_a_string_and_an_arbitrary_parameter() -> None:
    assert inputs(PrefixAndAny) == ["(STRING, None)"]


# --- extraction -------------------------------------------------------------------------------------------------------------------


class WithDefaults(ScalarFunction):
    def eval(self, a: int, b: str = "x", *rest: float) -> int:
        return 1


def test_var_args_are_extracted() -> None:
    assert as_user_function(WithDefaults).signatures[0].is_var_args


class Named(ScalarFunction):
    def eval(self, low: int, high: int = 5) -> int:
        return 1


def test_argument_names_and_defaults_are_extracted() -> None:
    inference = as_user_function(Named).get_type_inference()
    assert inference.argument_names == ("low", "high")
    assert inference.optional_arguments == (False, True)


class Generic(TableFunction[str]):
    pass


class ThroughBases(Generic):
    def eval(self, a: int) -> None: ...


def test_generics_are_resolved_through_bases() -> None:
    assert output(ThroughBases) == "STRING NOT NULL"


def test_parameter_without_type_is_refused() -> None:
    class Untyped(ScalarFunction):
        def eval(self, a) -> int:  # type: ignore[no-untyped-def]
            return 1

    with pytest.raises(ValidationException, match=r"parameter 'a' of .*Untyped.eval has no type"):
        as_user_function(Untyped)


def test_result_without_type_is_refused() -> None:
    class Untyped(ScalarFunction):
        def eval(self, a: int):  # type: ignore[no-untyped-def]
            return 1

    with pytest.raises(ValidationException, match=r"result of .* has no type"):
        as_user_function(Untyped)


class Plain(ScalarFunction):
    def eval(self, a: int) -> int:
        return 1


class TakesNone(ScalarFunction):
    def eval(self, a: int | None) -> int:
        return 1


class GivesNone(ScalarFunction):
    def eval(self, a: int) -> int | None:
        return 1


class HintedResult(ScalarFunction):
    @function_hint(output="INT NOT NULL")
    def eval(self, a: int | None) -> int:
        return 1


NULLABILITY = [
    (Plain, "BIGINT", "BIGINT"),
    (Plain, "BIGINT NOT NULL", "BIGINT NOT NULL"),
    (TakesNone, "BIGINT", "BIGINT NOT NULL"),
    (TakesNone, "BIGINT NOT NULL", "BIGINT NOT NULL"),
    (GivesNone, "BIGINT NOT NULL", "BIGINT"),
    (GivesNone, "BIGINT", "BIGINT"),
    (HintedResult, "BIGINT", "INT NOT NULL"),
]


@pytest.mark.parametrize(("function", "argument", "expected"), NULLABILITY)
def test_nullability(function: Any, argument: str, expected: str) -> None:
    assert typed(function, argument) == expected


# --- hints ------------------------------------------------------------------------------------------------------------------------


def test_named_arguments_that_eval_does_not_have_are_refused() -> None:
    class Renamed(ScalarFunction):
        @function_hint(input={"low": "INT"}, output="INT")
        def eval(self, other: int) -> Any: ...

    with pytest.raises(ValidationException, match="named 'other', not 'low'"):
        as_user_function(Renamed)


def test_hint_with_more_arguments_than_eval_is_refused() -> None:
    class TooMany(ScalarFunction):
        @function_hint(input=["INT", "INT"], output="INT")
        def eval(self, a: int) -> Any: ...

    with pytest.raises(ValidationException, match="takes 1 arguments"):
        as_user_function(TooMany)


def test_hint_of_another_class_than_the_annotation_is_refused() -> None:
    class Wrong(ScalarFunction):
        @function_hint(input=["STRING"], output="INT")
        def eval(self, a: int) -> Any: ...

    with pytest.raises(ValidationException, match="is of the class int, which values of STRING are not"):
        as_user_function(Wrong)
