"""Dropping catalog objects."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import ObjectIdentifier
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DropTableOperation(Operation):
    """``DROP [TEMPORARY] TABLE [IF EXISTS]``."""

    identifier: ObjectIdentifier
    ignore_if_not_exists: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class DropViewOperation(Operation):
    """``DROP [TEMPORARY] VIEW [IF EXISTS]``."""

    identifier: ObjectIdentifier
    ignore_if_not_exists: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class DropDatabaseOperation(Operation):
    """``DROP DATABASE [IF EXISTS] catalog.name [CASCADE]``; without CASCADE a database that holds something stays."""

    catalog_name: str
    database_name: str
    ignore_if_not_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class DropCatalogOperation(Operation):
    """``DROP CATALOG [IF EXISTS] name``."""

    name: str
    ignore_if_not_exists: bool = False
