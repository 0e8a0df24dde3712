"""The suite finds each error that is planted in a correct catalog."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_catalogs import BUGS, errors_found_by, failing_tests, is_found
from shelf import ShelfCatalog

from table_testing.catalog_compliance import CatalogCompliance


@pytest.mark.parametrize("title", errors_found_by(CatalogCompliance))
def test_a_planted_error_fails_the_test_about_it(title: str, tmp_path: Path) -> None:
    assert is_found(title, tmp_path)


def test_no_test_fails_for_the_correct_catalog(tmp_path: Path) -> None:
    assert failing_tests(tmp_path, ShelfCatalog) == []


def test_each_planted_error_belongs_to_a_suite() -> None:
    suites = [suite for suite in CatalogCompliance.__mro__ if suite.__module__.startswith("table_testing")]
    assert {title for suite in suites for title in errors_found_by(suite)} == set(BUGS)
