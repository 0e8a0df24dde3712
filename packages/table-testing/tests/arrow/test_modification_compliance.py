"""The suite finds each error that is planted in a correct connector."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_errors import errors_found_by, is_found

from table_testing.modification_compliance import ModificationCompliance


@pytest.mark.parametrize("error", errors_found_by(ModificationCompliance))
def test_a_planted_error_fails_the_test_about_it(error: str, tmp_path: Path) -> None:
    assert is_found(error, tmp_path)
