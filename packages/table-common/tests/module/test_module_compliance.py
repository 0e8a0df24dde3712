"""The modules of this distribution keep to the contract of modules."""

from __future__ import annotations

from table_common.module import CoreModuleFactory
from table_testing import ModuleCompliance


class TestCoreModule(ModuleCompliance):
    factory = CoreModuleFactory
