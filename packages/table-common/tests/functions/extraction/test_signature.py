from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions import DataTypeHint, ScalarFunction, TableFunction, as_user_function
from table_common.types import parse_logical_type


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


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
