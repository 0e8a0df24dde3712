"""Only the project's errors, and no internal ones, are the expected error of a case."""

from __future__ import annotations

import pytest
from refusals import refused

from table_common.exceptions import TableInternalError, TableRuntimeException, ValidationException


@pytest.mark.parametrize("error", [ValidationException("The column does not exist."), TableRuntimeException("Division by zero.")])
def test_an_error_of_the_project_is_expected(error: Exception) -> None:
    with refused() as caught:
        raise error
    assert caught.value is error


@pytest.mark.parametrize("error", [IndexError("list index out of range"), KeyError("a"), OverflowError("year 0 is out of range")])
def test_an_error_of_python_is_not_expected(error: Exception) -> None:
    with pytest.raises(type(error)), refused():
        raise error


def test_an_internal_error_is_not_expected() -> None:
    with pytest.raises(AssertionError, match="an internal error"), refused():
        raise TableInternalError("The operator has no input.")
