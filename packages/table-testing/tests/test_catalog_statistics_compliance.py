"""The suite finds each error that is planted in a correct catalog."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_catalogs import errors_found_by, is_found

from table_testing.catalog_statistics_compliance import CatalogStatisticsCompliance


@pytest.mark.parametrize("title", errors_found_by(CatalogStatisticsCompliance))
def test_a_planted_error_fails_the_test_about_it(title: str, tmp_path: Path) -> None:
    assert is_found(title, tmp_path)
