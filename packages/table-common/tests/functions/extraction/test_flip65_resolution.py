"""FLIP-65's process: which ``eval`` a signature finds, what goes before what, and when NULL reaches a function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, overload

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.functions import AggregateFunction, DataTypeHint, ScalarFunction, TableFunction, as_user_function, function_hint
from table_common.inference import explicit, infer_call, sig
from table_common.inference import family as any_of
from table_common.inference.type_inference import TypeInference
from table_common.types import IntType, VarCharType, parse_logical_type


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


def inputs(function: Any) -> list[str]:
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)})" for s in as_user_function(function).signatures]


# --- the resolution process: eval methods that take (int, Long) -------------------------------------------------------------------


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


# --- precedence -------------------------------------------------------------------------------------------------------------------


@function_hint(input=["STRING"], output="DOUBLE")
class Hinted(ScalarFunction):
    def eval(self, value: Any) -> int:
        return 1


class Inferred(Hinted):
    def get_type_inference(self) -> TypeInference:
        return TypeInference(sig(any_of("INT", IntType)), explicit(VarCharType()))


def test_flip_65_annotations_go_before_extraction() -> None:
    assert typed(Hinted, "STRING") == "DOUBLE"


def test_flip_65_type_inference_goes_before_annotations() -> None:
    assert typed(Inferred, "INT") == "STRING"


def test_flip_65_hint_of_a_class_is_inherited() -> None:
    assert inputs(type("Derived", (Hinted,), {})) == ["(STRING)"]


@function_hint(output="BIGINT")
class Completed(ScalarFunction):
    @function_hint(input=["INT"])
    @function_hint(input=["STRING"], output="STRING")
    def eval(self, *args: object) -> Any: ...


def test_flip_65_each_method_hint_is_completed_from_the_class() -> None:
    assert typed(Completed, "INT") == "BIGINT"
    assert typed(Completed, "STRING") == "STRING"


@function_hint(accumulator="ARRAY<INT>")
class OnlyAccumulator(AggregateFunction[int, Any]):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, value: int) -> None: ...

    def get_value(self, accumulator: Any) -> int:
        return 1


def test_flip_65_hint_of_the_accumulator_only() -> None:
    (signature,) = as_user_function(OnlyAccumulator).signatures
    assert signature.accumulator is not None
    assert str(signature.accumulator.type) == "ARRAY<INT>"
    assert [str(p.extracted.type) for p in signature.parameters] == ["BIGINT"]


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


def test_two_evals_are_refused_with_the_advice_to_overload() -> None:
    with pytest.raises(ValidationException, match="defines eval twice") as error:
        exec(
            "class F(ScalarFunction):\n def eval(self, a: int) -> int: ...\n def eval(self, a: str) -> str: ...",
            {"ScalarFunction": ScalarFunction, "__name__": __name__},
        )
    assert "typing.overload" in (error.value.hint or "")


# --- var-args and names -----------------------------------------------------------------------------------------------------------


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


# --- nullability ------------------------------------------------------------------------------------------------------------------

PARAMETERS = {
    "T": "int",
    "T | None": "int | None",
    "hint": "Annotated[int, DataTypeHint('BIGINT')]",
    "hint NOT NULL": "Annotated[int, DataTypeHint('BIGINT NOT NULL')]",
    "hint | None": "Annotated[int | None, DataTypeHint('BIGINT')]",
}
RESULTS = {
    "T": "int",
    "T | None": "int | None",
    "hint": "Annotated[int, DataTypeHint('BIGINT')]",
    "hint NOT NULL": "Annotated[int, DataTypeHint('BIGINT NOT NULL')]",
}
SKIPPING = {"T", "hint"}
"""Parameters that are not called with NULL."""


def of(parameter: str, result: str) -> Any:
    namespace: dict[str, Any] = {}
    scope = {"Annotated": Annotated, "DataTypeHint": DataTypeHint}
    exec(f"def eval(self, value: {PARAMETERS[parameter]}) -> {RESULTS[result]}: ...", scope, namespace)
    return type("F", (ScalarFunction,), {"eval": namespace["eval"]})


@pytest.mark.parametrize("argument", ["BIGINT", "BIGINT NOT NULL"])
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_nullability_of_parameter_result_and_argument(parameter: str, result: str, argument: str) -> None:
    is_nullable = argument == "BIGINT"
    if parameter == "hint NOT NULL" and is_nullable:
        with pytest.raises(ValidationException, match="BIGINT NOT NULL"):
            typed(of(parameter, result), argument)
        return
    of_result = result in ("T | None", "hint")
    of_skipping = is_nullable and parameter in SKIPPING
    assert typed(of(parameter, result), argument) == ("BIGINT" if of_result or of_skipping else "BIGINT NOT NULL")


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_null_skips_the_call_unless_none_is_taken(parameter: str) -> None:
    (signature,) = as_user_function(of(parameter, "T")).signatures
    assert signature.skips(0) == (parameter not in ("T | None", "hint | None"))


class Rows(TableFunction[str]):
    def eval(self, value: int) -> Iterator[str]:
        yield ""


def test_null_that_skips_a_table_function_leaves_its_rows_not_null() -> None:
    assert typed(Rows, "BIGINT") == "STRING NOT NULL"
