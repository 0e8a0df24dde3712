"""The module ``hive``: the names of Hive's built-in functions and, without Hive, their equivalents."""

from __future__ import annotations

from table_runtime.modules.hive.hive_module import HiveModule, HiveModuleFactory

__all__ = ["HiveModule", "HiveModuleFactory"]
