"""Modules (FLIP-68): sets of functions that a session loads and orders."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .core_module: CoreModule CoreModuleFactory
    .module: Module
    .module_factory: ModuleFactory
    .standard_functions: standard_function
    """,
)
