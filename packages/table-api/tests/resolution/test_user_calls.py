"""Calls of user-defined functions: the session's parameters and files, default arguments, and table functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api.resolution.user_calls import MISSING, cached_files, call_of_rows, for_session, link_python_archives, with_defaults
from table_api.udf import udf, udtf
from table_common.configuration import Configuration
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition, ScalarFunction, as_user_function
from table_common.types import ArrayType, BigIntType, IntType, RowType

A = FieldReferenceExpression("a", IntType(), 0, 0)


class Scale(ScalarFunction):
    def eval(self, value: int, factor: int = 10, offset: int = 1) -> int:
        return value * factor + offset


@udtf(input_types=["BIGINT"], result_types=["BIGINT"])
def twice(value: int) -> Iterator[int]:
    yield value
    yield value


@pytest.fixture
def scale() -> FunctionDefinition:
    return as_user_function(Scale())


def values(arguments: Any) -> list[object]:
    return [argument.value if isinstance(argument, ValueLiteralExpression) else str(argument) for argument in arguments]


def test_omitted_arguments_get_their_defaults(scale: FunctionDefinition) -> None:
    assert values(with_defaults(scale, [A])) == ["a", 10, 1]
    assert values(with_defaults(scale, [A, MISSING, ValueLiteralExpression(5, IntType())])) == ["a", 10, 5]


def test_an_argument_without_a_default_stays_missing(scale: FunctionDefinition) -> None:
    assert with_defaults(scale, []) == []


def test_a_default_has_the_type_of_its_parameter(scale: FunctionDefinition) -> None:
    assert with_defaults(scale, [A])[1].output_type == BigIntType(nullable=False)


def test_a_default_that_is_no_constant_of_sql_is_left_to_python() -> None:
    function = udf(lambda text, stops=("the",), limit=3: text, result_type="STRING", name="without").definition
    assert with_defaults(function, [A]) == [A]
    with pytest.raises(ValidationException, match="'stops' of without cannot be left out between others"):
        with_defaults(function, [A, MISSING, ValueLiteralExpression(5, IntType())])


def test_without_options_the_function_stays_the_same_object(session: Any, scale: FunctionDefinition) -> None:
    assert for_session(scale, session) is scale


def test_the_function_gets_the_parameters_and_files_of_the_session(session: Any, scale: FunctionDefinition) -> None:
    session.configuration = Configuration(
        {"pipeline.global-job-parameters": "a:1, b : x", "pipeline.cached-files": "name:model,path:file:///m.bin"}
    )
    function: Any = for_session(scale, session)
    assert function is not scale
    assert dict(function.job_parameters) == {"a": "1", "b": "x"}


@pytest.mark.parametrize("parameters", ["a", ":1", "a:1,b"])
def test_parameters_are_pairs_of_key_and_value(session: Any, scale: FunctionDefinition, parameters: str) -> None:
    session.configuration = Configuration({"pipeline.global-job-parameters": parameters})
    with pytest.raises(ValidationException, match="is not a pair of key and value"):
        for_session(scale, session)


def test_cached_files_are_paths_by_name() -> None:
    assert cached_files("name:one,path:/a/b; name:two,path:file:///c;") == {"one": "/a/b", "two": "/c"}


@pytest.mark.parametrize("text", ["path:/a", "name:one"])
def test_a_cached_file_needs_name_and_path(text: str) -> None:
    with pytest.raises(ValidationException, match="has a file without name or path"):
        cached_files(text)


def test_without_archives_no_folder_is_linked(tmp_path: Path) -> None:
    assert link_python_archives("") == {}
    with pytest.raises(ValidationException, match=r"nothing\.zip"):
        link_python_archives(str(tmp_path / "nothing.zip"))


def test_the_call_of_a_table_function_is_an_array_of_its_rows() -> None:
    call = call_of_rows(as_user_function(twice), [A], "UNNEST", None)
    assert isinstance(call, CallExpression)
    assert isinstance(call.output_type, ArrayType)
    element = call.output_type.element_type
    assert (element.field_types if isinstance(element, RowType) else (element,)) == (BigIntType(),)
    assert call.args[0].output_type == BigIntType()


def test_a_table_function_stands_only_in_from() -> None:
    with pytest.raises(ValidationException, match="twice is a table function, so it can only be used in FROM") as caught:
        call_of_rows(as_user_function(twice), [A], "WHERE", None)
    assert "LATERAL TABLE(twice(…))" in str(caught.value.hint)
