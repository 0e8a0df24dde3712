"""Tests for table_api.catalog.foreign_catalogs."""

from __future__ import annotations

import pytest

from table_api.catalog import HiveCatalog, JdbcCatalog
from table_common.exceptions import ValidationException


def test_catalogs_of_java_name_their_replacement() -> None:
    with pytest.raises(
        ValidationException, match=r"The catalog 'h' cannot be created: HiveCatalog needs Hive's client.*\n.*'type' = 'sqlite'"
    ):
        HiveCatalog("h", "default", "/conf")
    with pytest.raises(ValidationException, match=r"The catalog 'j' cannot be created: JdbcCatalog needs a JDBC driver.*\n.*CREATE TABLE"):
        JdbcCatalog("j", "db", "user", "x", "jdbc:postgresql://host")
