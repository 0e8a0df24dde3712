"""SHOW."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogPartitionSpec
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ShowLike:
    """``[NOT] LIKE|ILIKE 'pattern'``: ``%`` is any text, ``_`` one character, a backslash takes their meaning away."""

    pattern: str
    negated: bool = False
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class ShowOperation(Operation):
    """``SHOW kind [FROM|IN path] [LIKE …]``; the path is as written.

    ``kind``: CATALOGS, DATABASES, TABLES, VIEWS, MATERIALIZED TABLES, COLUMNS, PARTITIONS, FUNCTIONS, USER FUNCTIONS, PROCEDURES,
    MODULES, FULL MODULES, MODELS, CONNECTIONS, JARS, JOBS, CURRENT CATALOG, CURRENT DATABASE, CREATE TABLE, CREATE VIEW,
    CREATE MATERIALIZED TABLE, CREATE CATALOG, CREATE MODEL, CREATE CONNECTION. ``partition`` is the PARTITION of SHOW PARTITIONS.
    """

    kind: str
    path: tuple[str, ...] = ()
    preposition: str | None = None
    like: ShowLike | None = None
    partition: CatalogPartitionSpec | None = None
