"""The option ``python.files`` with paths that are no files."""

from __future__ import annotations

import pytest

from table_api import ValidationException
from table_api.python_files import make_importable


@pytest.mark.parametrize("path", ["a" * 3_000, "a\0b"])
def test_a_path_that_no_file_can_have_is_refused(path: str) -> None:
    with pytest.raises(ValidationException, match="cannot be used"):
        make_importable(path)


def test_a_file_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValidationException, match=r"'/nowhere/f\.py' does not exist"):
        make_importable("/nowhere/f.py")
