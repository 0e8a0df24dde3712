"""Looks up kernels by function, in the module of this package with the same name as the module that declares the function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from table_common.annotation import override
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import family_of
from table_runtime.kernels.kernel import Kernel

_WITHOUT_KERNELS = frozenset({"aggregates", "windows"})
"""Families of functions over several rows."""


class _Kernels(Mapping[FunctionDefinition, Kernel]):
    """The union of the tables of all modules; a lookup imports one module, iteration imports all."""

    @override
    def __getitem__(self, function: FunctionDefinition) -> Kernel:
        family = family_of(function)
        if family is None or family in _WITHOUT_KERNELS:
            raise KeyError(function)
        return _table(family)[function]

    @override
    def __iter__(self) -> Iterator[FunctionDefinition]:
        from table_common.functions.builtin import FAMILIES  # few programs need all functions

        for family in (module.__name__.rpartition(".")[2] for module in FAMILIES):
            if family not in _WITHOUT_KERNELS:
                yield from _table(family)

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)


def _table(family: str) -> Mapping[FunctionDefinition, Kernel]:
    table: Mapping[FunctionDefinition, Kernel] = import_module(f"table_runtime.kernels.{family}").TABLE
    return table


KERNELS: Mapping[FunctionDefinition, Kernel] = _Kernels()
"""Every built-in scalar function that this engine can run."""
