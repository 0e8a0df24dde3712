from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import pytest

from table_common.exceptions import ValidationException
from table_common.functions.extraction.methods import Method, overloads_of, read_method
from table_common.functions.extraction.signature import NO_DEFAULT


def read(function: Callable[..., Any]) -> Method:
    return read_method(function, "eval", "Owner", 1)


def test_parameters_have_resolved_annotations_and_defaults_without_self() -> None:
    def function(self: object, a: int, b: str = "x") -> float: ...

    method = read(function)
    assert [(parameter.name, parameter.annotation, parameter.default) for parameter in method.parameters] == [
        ("a", int, NO_DEFAULT),
        ("b", str, "x"),
    ]
    assert method.result is float


def test_var_args_take_every_further_argument() -> None:
    def function(self: object, a: int, *rest: str) -> None: ...

    method = read(function)
    assert method.var_args is not None
    assert (method.var_args.name, method.var_args.annotation) == ("rest", str)
    assert [parameter and parameter.name for parameter in map(method.parameter, range(3))] == ["a", "rest", "rest"]


def test_there_is_no_parameter_beyond_the_last() -> None:
    def function(self: object, a: int) -> None: ...

    assert read(function).parameter(1) is None


def test_a_parameter_by_keyword_only_is_refused() -> None:
    def function(self: object, *, a: int) -> None: ...

    with pytest.raises(ValidationException, match=r"Owner\.eval takes 'a' by keyword only"):
        read(function)


def test_an_annotation_that_cannot_be_resolved_is_refused() -> None:
    def function(self: object, a: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821  # the name is missing on purpose

    with pytest.raises(ValidationException, match="Missing"):
        read(function)


def test_the_overloads_of_a_function_are_its_signatures() -> None:
    class Owner:
        @overload
        def eval(self, a: int) -> int: ...
        @overload
        def eval(self, a: str) -> str: ...
        def eval(self, a: Any) -> Any: ...

        def plain(self, a: int) -> int: ...

    assert [read(function).result for function in overloads_of(Owner.eval)] == [int, str]
    assert overloads_of(Owner.plain) == [Owner.plain]
