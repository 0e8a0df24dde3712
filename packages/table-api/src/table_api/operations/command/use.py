"""USE: what is current."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class UseCatalogOperation(Operation):
    """``USE CATALOG name``; its default database becomes current."""

    name: str


@dataclass(frozen=True, slots=True)
class UseDatabaseOperation(Operation):
    """``USE [catalog.]database``; the catalog becomes current too."""

    catalog_name: str
    database_name: str
