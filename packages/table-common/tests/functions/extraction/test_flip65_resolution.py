"""FLIP-65's process: which ``eval`` a signature finds, what goes before what, and when NULL reaches a function."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions import AggregateFunction, ScalarFunction, as_user_function, function_hint
from table_common.inference import explicit, sig
from table_common.inference import family as any_of
from table_common.inference.type_inference import TypeInference
from table_common.types import IntType, VarCharType, parse_logical_type


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


def inputs(function: Any) -> list[str]:
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)})" for s in as_user_function(function).signatures]


# --- the resolution process: eval methods that take (int, Long) -------------------------------------------------------------------


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


def test_two_evals_are_refused_with_the_advice_to_overload() -> None:
    with pytest.raises(ValidationException, match="defines eval twice") as error:
        exec(
            "class F(ScalarFunction):\n def eval(self, a: int) -> int: ...\n def eval(self, a: str) -> str: ...",
            {"ScalarFunction": ScalarFunction, "__name__": __name__},
        )
    assert "typing.overload" in (error.value.hint or "")


# --- var-args and names -----------------------------------------------------------------------------------------------------------


# --- nullability ------------------------------------------------------------------------------------------------------------------

"""Parameters that are not called with NULL."""
