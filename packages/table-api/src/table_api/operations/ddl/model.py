"""Creating, altering and dropping models."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.operations.operation import Operation
from table_common.catalog import CatalogModel
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CreateModelOperation(Operation):
    """``CREATE [TEMPORARY] MODEL [IF NOT EXISTS] …``."""

    path: tuple[str, ...]
    model: CatalogModel
    ignore_if_exists: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class AlterModelOperation(Operation):
    """``ALTER MODEL [IF EXISTS] … RENAME TO`` (``new_name``), ``SET`` (``set``) or ``RESET`` (``reset``)."""

    path: tuple[str, ...]
    ignore_if_not_exists: bool = False
    new_name: str | None = None
    set: Mapping[str, str] = field(default_factory=dict)
    reset: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropModelOperation(Operation):
    """``DROP [TEMPORARY] MODEL [IF EXISTS] …``."""

    path: tuple[str, ...]
    ignore_if_not_exists: bool = False
    is_temporary: bool = False
