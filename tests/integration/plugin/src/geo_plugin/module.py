"""The module ``geo``: functions, a type, and a connector that needs no entry point."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from typing_extensions import override

from geo_plugin.cities import CitiesFactory
from geo_plugin.functions import MakePoint, NorthernmostLatitude, PointDistance
from geo_plugin.geo_point import GEO_POINT
from table_common.factories import DynamicTableSourceFactory, validate_options
from table_common.functions import FunctionDefinition, as_user_function
from table_common.module import Module, ModuleFactory
from table_common.types import DataType

__all__ = ["GeoModule", "GeoModuleFactory"]

_FUNCTIONS = {"geo_point": MakePoint, "geo_distance": PointDistance, "geo_northernmost": NorthernmostLatitude}


class GeoModule(Module):
    """Everything about points."""

    def __init__(self) -> None:
        self._defined: dict[str, FunctionDefinition] = {}

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return _FUNCTIONS.keys()

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        key = name.lower()
        if key not in _FUNCTIONS:
            return None
        if key not in self._defined:
            self._defined[key] = as_user_function(_FUNCTIONS[key], key)
        return self._defined[key]

    @override
    def list_types(self) -> AbstractSet[str]:
        return {"geo_point"}

    @override
    def get_type(self, name: str) -> DataType | None:
        return GEO_POINT if name.lower() == "geo_point" else None

    @override
    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        return CitiesFactory() if identifier == "geo-module-cities" else None


class GeoModuleFactory(ModuleFactory):
    """Makes the module; it takes no options."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "geo"

    @override
    def create_module(self, context: ModuleFactory.Context) -> GeoModule:
        validate_options(context.options, (), (), "module 'geo'")
        return GeoModule()
