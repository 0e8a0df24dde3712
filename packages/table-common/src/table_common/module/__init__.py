"""Modules (FLIP-68): sets of functions that a session loads and orders."""

from table_common.module.core_module import CoreModule, CoreModuleFactory
from table_common.module.module import Module
from table_common.module.module_factory import ModuleFactory

__all__ = ["CoreModule", "CoreModuleFactory", "Module", "ModuleFactory"]
