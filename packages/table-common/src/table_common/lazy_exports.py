"""Lazily loaded names of a package: importing one of them does not import the modules of the others.

A package's ``__init__`` lists its names twice: as imports under ``TYPE_CHECKING``, which type checkers and editors read, and here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_exports"]


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

    def load(name: str) -> object:
        module = home.get(name)
        if module is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = import_module(f"{package}.{name}") if module == package else getattr(import_module(module), name)
        namespace[name] = value
        return value

    return load, lambda: sorted({*namespace, *home})
