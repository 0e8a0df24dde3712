"""The module ``hive``: the names of Hive's built-in functions, and what is known of them without Hive."""

from __future__ import annotations

from table_common.module.hive.hive_module import HiveModule, HiveModuleFactory

__all__ = ["HiveModule", "HiveModuleFactory"]
