"""The connector ``geo-cities``: a file of cities that the distribution brings along."""

from __future__ import annotations

from importlib.resources import files
from typing import Self

from typing_extensions import override

from table_common.connector import ChangelogMode, DynamicTableSource, FileScanProvider, ScanTableSource
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory, FactoryUtil
from table_common.types import RowType

__all__ = ["CitiesFactory"]


class CitiesSource(ScanTableSource):
    """Reads name, latitude and longitude of each city."""

    def __init__(self, row_type: RowType) -> None:
        self._row_type = row_type

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> FileScanProvider:
        path = str(files("geo_plugin") / "cities.csv")
        return FileScanProvider((path,), "csv", self._row_type, self._row_type)

    @override
    def copy(self) -> Self:
        return type(self)(self._row_type)

    @override
    def as_summary_string(self) -> str:
        return "cities of the geo plug-in"


class CitiesFactory(DynamicTableSourceFactory):
    """Makes the source; the connector takes no options."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "geo-cities"

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        FactoryUtil.validate(context, (), (self,))
        return CitiesSource(context.catalog_table.resolved_schema.to_physical_row_type())
