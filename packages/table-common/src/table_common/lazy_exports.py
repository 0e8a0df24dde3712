"""Lazily loaded names of a package: importing one of them does not import the modules of the others.

The names of a package stand in its ``__init__.pyi``, which type checkers and editors read; ``scripts/exports.py`` writes them into its ``__init__``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from table_common.garbage_collection import collection_paused

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


def lazy_exports(package: str, names_of: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Returns the ``__getattr__``, the ``__dir__`` and the ``__all__`` of a package.

    Args:
        package: the package's ``__name__``.
        names_of: each module, with a colon after it, and the names that the package takes from it. A module of the package begins with a dot.
            The names that the package takes from itself, ``.:``, are its submodules.

    Example:
        >>> __getattr__, __dir__, __all__ = lazy_exports("table_common.data", ".row: Row .decimal: DecimalData table_common.module: Module")
        >>> __all__, __getattr__("Row").__module__
        (['Row', 'DecimalData', 'Module'], 'table_common.data.row')
    """
    home: dict[str, str] = {}
    module = package
    for word in names_of.split():
        if word[-1] == ":":
            module = f"{package}{word[:-1]}" if word[0] == "." else word[:-1]
        else:
            home[word] = module
    namespace = vars(sys.modules[package])
    if any(module == f"{package}.{name}" for name, module in home.items()):
        sys.modules[package].__class__ = _Package

    def load(name: str) -> object:
        module = home.get(name)
        if module is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        with collection_paused():  # a module makes many objects, of which few are garbage
            value = import_module(f"{package}.{name}") if module == f"{package}." else getattr(import_module(module), name)
        namespace[name] = value
        return value

    return load, lambda: sorted({*namespace, *home}), list(home)
