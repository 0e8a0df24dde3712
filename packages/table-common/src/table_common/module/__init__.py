"""Modules (FLIP-68): sets of functions that a session loads and orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.module.core_module import CoreModule, CoreModuleFactory
    from table_common.module.module import Module
    from table_common.module.module_factory import ModuleFactory
    from table_common.module.standard_functions import standard_function

__all__ = ["CoreModule", "CoreModuleFactory", "Module", "ModuleFactory", "standard_function"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.module.core_module": ("CoreModule", "CoreModuleFactory"),
        "table_common.module.module": ("Module",),
        "table_common.module.module_factory": ("ModuleFactory",),
        "table_common.module.standard_functions": ("standard_function",),
    },
)
