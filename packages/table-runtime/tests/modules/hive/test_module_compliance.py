"""The module of Hive keeps to the contract of modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from table_runtime.modules.hive import HiveModuleFactory
from table_testing import ModuleCompliance


class TestHiveModule(ModuleCompliance):
    factory = HiveModuleFactory


class TestOldHiveModule(ModuleCompliance):
    factory = HiveModuleFactory
    options: ClassVar[Mapping[str, str]] = {"hive-version": "1.2.1"}
