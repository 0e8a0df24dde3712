"""Lazily loaded names of a package: importing one of them does not import the modules of the others.

A package's ``__init__`` lists its names twice: as imports under ``TYPE_CHECKING``, which type checkers and editors read, and here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType

__all__ = ["lazy_exports"]


class _Package(ModuleType):
    """A package that exports a name of the submodule that defines it, such as ``in_memory_table``: the attribute is the exported object.

    Without this class, the attribute would be the submodule as soon as that is imported.
    """

    def __setattr__(self, name: str, value: object) -> None:
        # The import system sets each submodule as an attribute of its package, after the submodule has run.
        if isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}" and name in self.__all__:
            value = getattr(value, name, value)
        super().__setattr__(name, value)


def lazy_exports(package: str, names_of: Mapping[str, tuple[str, ...]]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Returns the ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: the package's ``__name__``.
        names_of: module to the names that the package takes from it; the names that it takes from itself are its submodules.

    Example:
        ``__getattr__, __dir__ = lazy_exports(__name__, {"table_common.data.row": ("Row", "RowKind")})``
    """
    home = {name: module for module, names in names_of.items() for name in names}
    namespace = vars(sys.modules[package])
    if any(module == f"{package}.{name}" for name, module in home.items()):
        sys.modules[package].__class__ = _Package

    def load(name: str) -> object:
        module = home.get(name)
        if module is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = import_module(f"{package}.{name}") if module == package else getattr(import_module(module), name)
        namespace[name] = value
        return value

    return load, lambda: sorted({*namespace, *home})
