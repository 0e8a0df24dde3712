"""The plug-in's catalog and module pass the compliance suites."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from table_common.catalog import Catalog
from table_testing import CatalogCompliance, ModuleCompliance

SOURCES = Path(__file__).parent / "plugin" / "src"


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Imports the plug-in's modules from its sources."""
    monkeypatch.syspath_prepend(str(SOURCES))
    from geo_plugin.module import GeoModuleFactory

    TestGeoModule.factory = GeoModuleFactory
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "geo_plugin"]:
        del sys.modules[name]


class TestGeoCatalog(CatalogCompliance):
    families = frozenset()
    persists = True

    def create_catalog(self, folder: Path) -> Catalog:
        from geo_plugin.catalog import GeoCatalog

        return GeoCatalog()


class TestGeoModule(ModuleCompliance):
    factory: ClassVar[Any]
    connectors = ("geo-module-cities",)
