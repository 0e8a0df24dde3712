"""Creating catalogs and databases."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.operations.operation import Operation
from table_common.catalog import CatalogDatabase
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CreateCatalogOperation(Operation):
    """``CREATE CATALOG [IF NOT EXISTS] name [COMMENT …] WITH ('type' = …)``; the type names the catalog's factory."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    comment: str | None = None
    ignore_if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateDatabaseOperation(Operation):
    """``CREATE DATABASE [IF NOT EXISTS] catalog.name``."""

    catalog_name: str
    database_name: str
    database: CatalogDatabase
    ignore_if_exists: bool = False
