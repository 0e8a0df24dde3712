from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions import (
    ScalarFunction,
    as_user_function,
    function_hint,
)
from table_common.inference import explicit, sig
from table_common.inference import family as any_of
from table_common.inference.type_inference import TypeInference
from table_common.types import IntType, VarCharType, parse_logical_type


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


class Manual(ScalarFunction):
    @function_hint(output="DOUBLE")
    def eval(self, a: object) -> str:
        return str(a)

    def get_type_inference(self) -> TypeInference:
        return TypeInference(sig(any_of("INT", IntType)), explicit(VarCharType()))


def test_type_inference_goes_before_hints_and_extraction() -> None:
    assert typed(Manual, "INT") == "STRING"
    with pytest.raises(ValidationException):
        typed(Manual, "BOOLEAN")


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ValidationException, match="is not a function of ours"):
        as_user_function(len)
