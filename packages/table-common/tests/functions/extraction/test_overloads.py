from __future__ import annotations

from typing import Annotated, Any, overload

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions import (
    DataTypeHint,
    ScalarFunction,
    UserDefinedFunction,
    as_user_function,
)
from table_common.types import parse_logical_type


def inputs(function: type[UserDefinedFunction]) -> list[str]:
    found = as_user_function(function).signatures
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)}){'...' if s.is_var_args else ''}" for s in found]


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


class Overloaded(ScalarFunction):
    @overload
    def eval(self, a: int) -> int: ...
    @overload
    def eval(self, a: str) -> str: ...
    def eval(self, a: int | str) -> int | str:
        return a


def test_overloads_are_tried_by_what_fits() -> None:
    assert inputs(Overloaded) == ["(BIGINT)", "(STRING)"]
    assert typed(Overloaded, "STRING NOT NULL") == "STRING NOT NULL"
    assert typed(Overloaded, "INT NOT NULL") == "BIGINT NOT NULL"


class Ambiguous(ScalarFunction):
    @overload
    def eval(self, a: int, b: float) -> int: ...
    @overload
    def eval(self, a: float, b: int) -> int: ...
    def eval(self, a: float, b: float) -> int:
        return 1


def test_two_equally_good_overloads_are_an_error_that_lists_both() -> None:
    with pytest.raises(ValidationException, match=r"equally well: .*BIGINT.*DOUBLE.* and .*DOUBLE.*BIGINT"):
        typed(Ambiguous, "INT", "INT")


class NoNull(ScalarFunction):
    def eval(self, a: Annotated[int, DataTypeHint("BIGINT NOT NULL")]) -> int:
        return 1


def test_only_a_not_null_hint_refuses_nullable_input() -> None:
    with pytest.raises(ValidationException, match="BIGINT NOT NULL"):
        typed(NoNull, "BIGINT")
