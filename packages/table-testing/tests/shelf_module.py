"""A small module that is correct: errors are planted in it by classes that override a method."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import ClassVar

from table_common.factories import validate_options
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison, strings
from table_common.module import Module, ModuleFactory
from table_common.types import DataType, DataTypes


class ShelfModule(Module):
    """Two functions, one that is hidden, and a type."""

    functions: ClassVar[dict[str, FunctionDefinition]] = {"shelf_upper": strings.UPPER, "shelf_like": strings.LIKE}
    hidden: ClassVar[dict[str, FunctionDefinition]] = {"shelf_equal": comparison.EQUALS}

    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {*self.functions, *(self.hidden if include_hidden else ())}

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return {**self.functions, **self.hidden}.get(name.lower())

    def list_types(self) -> AbstractSet[str]:
        return {"shelf_mark"}

    def get_type(self, name: str) -> DataType | None:
        return DataTypes.CHAR(4) if name.lower() == "shelf_mark" else None


class ShelfModuleFactory(ModuleFactory):
    """Makes the module; it takes no options."""

    made: type[ShelfModule] = ShelfModule

    @property
    def factory_identifier(self) -> str:
        return "shelf"

    def create_module(self, context: ModuleFactory.Context) -> Module:
        validate_options(context.options, (), (), "module 'shelf'")
        return self.made()
