"""The suite finds each error that is planted in a correct connector."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_errors import BUGS, LedgerSuite, errors_found_by, failing_tests, is_found

from table_testing.source_compliance import SourceCompliance


@pytest.mark.parametrize("error", errors_found_by(SourceCompliance))
def test_a_planted_error_fails_the_test_about_it(error: str, tmp_path: Path) -> None:
    assert is_found(error, tmp_path)


def test_no_test_fails_for_the_correct_connector(tmp_path: Path) -> None:
    assert failing_tests(tmp_path) == []


def test_each_planted_error_belongs_to_a_suite() -> None:
    suites = [suite for suite in LedgerSuite.__mro__ if suite.__module__.startswith("table_testing")]
    assert {bug for suite in suites for bug in errors_found_by(suite)} == set(BUGS)
