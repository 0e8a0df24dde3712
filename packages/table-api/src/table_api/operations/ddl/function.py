"""Creating, changing and dropping functions."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogFunction
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CreateFunctionOperation(Operation):
    """``CREATE [TEMPORARY [SYSTEM]] FUNCTION [IF NOT EXISTS] path AS 'module.Class'``."""

    path: tuple[str, ...]
    function: CatalogFunction
    ignore_if_exists: bool = False
    is_temporary: bool = False
    is_system: bool = False


@dataclass(frozen=True, slots=True)
class AlterFunctionOperation(Operation):
    """``ALTER [TEMPORARY [SYSTEM]] FUNCTION [IF EXISTS] path AS 'module.Class'``."""

    path: tuple[str, ...]
    function: CatalogFunction
    ignore_if_not_exists: bool = False
    is_temporary: bool = False
    is_system: bool = False


@dataclass(frozen=True, slots=True)
class DropFunctionOperation(Operation):
    """``DROP [TEMPORARY [SYSTEM]] FUNCTION [IF EXISTS] path``."""

    path: tuple[str, ...]
    ignore_if_not_exists: bool = False
    is_temporary: bool = False
    is_system: bool = False
