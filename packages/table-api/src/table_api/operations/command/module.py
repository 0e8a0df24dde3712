"""Modules of functions (FLIP-68)."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class LoadModuleOperation(Operation):
    """``LOAD MODULE name [WITH (…)]``; the option ``type`` names the module's factory, by default the name does."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class UnloadModuleOperation(Operation):
    """``UNLOAD MODULE name``."""

    name: str


@dataclass(frozen=True, slots=True)
class UseModulesOperation(Operation):
    """``USE MODULES a, b``: these, in this order; the others stay loaded, but unused."""

    names: tuple[str, ...]
