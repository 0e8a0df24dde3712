"""The connector ``values``: rows that a program registered under a name, for tests."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import from_python_rows
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.connector import (
    ArrowScanProvider,
    DynamicTableSource,
    FullCachingLookupProvider,
    InputSplit,
    LookupOptions,
    LookupSettings,
    LookupTableSource,
    ScanTableSource,
)
from table_common.connector.source.abilities import SupportsProjectionPushDown
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import RowType
from table_runtime.connectors.values_lookup import LOOKUP_MODES, lookup_provider

DATA_ID = ConfigOptions.key("data-id").string_type().no_default_value().with_description("The name used in register_values.")

LOOKUP_MODE = (
    ConfigOptions.key("lookup-mode").enum_type(*LOOKUP_MODES).default_value("batch").with_description("The kind of lookup function.")
)

_ROWS: dict[str, tuple[Sequence[Any], ...]] = {}
_LOCK = threading.Lock()


def register_values(data_id: str, rows: Sequence[Sequence[Any]]) -> None:
    """Registers Python rows for tables with this ``data-id``, replacing previous ones, for the lifetime of the process."""
    with _LOCK:
        _ROWS[data_id] = tuple(rows)


def unregister_values(data_id: str) -> None:
    """Removes the rows; does nothing if there are none."""
    with _LOCK:
        _ROWS.pop(data_id, None)


class ValuesTableFactory(DynamicTableSourceFactory):
    """Creates sources of registered rows."""

    reads_objects_of_program = True

    @property
    @override
    def factory_identifier(self) -> str:
        return "values"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (DATA_ID,)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (LOOKUP_MODE, LookupOptions.CACHE_TYPE, *LookupOptions.PARTIAL_CACHE)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        config, row_type = self.validated_options(context), context.physical_row_type
        data_id = config.get(DATA_ID)
        with _LOCK:
            rows = _ROWS.get(data_id)
            if rows is None:
                raise ValidationException.unknown("Values", data_id, tuple(_ROWS), where=context.where)
        provider = ValuesProvider(from_python_rows(rows, row_type), tuple(range(len(row_type.fields))))
        lookup = LookupSettings.from_options(context.catalog_table.options)
        return ValuesTableSource(data_id, provider, row_type, config.get(LOOKUP_MODE), lookup)


@dataclass
class ValuesTableSource(ScanTableSource, LookupTableSource, SupportsProjectionPushDown):
    """Reads a snapshot of the rows from planning time."""

    data_id: str
    provider: ValuesProvider
    row_type: RowType
    lookup_mode: str = "batch"
    lookup: LookupSettings = LookupSettings()

    @override
    def as_summary_string(self) -> str:
        return f"values({self.data_id})"

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.provider = replace(self.provider, columns=tuple(path[0] for path in projected_fields))
        self.row_type = produced_type

    @override
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        if self.lookup.caches_all:
            return FullCachingLookupProvider(self.provider)
        rows = self.provider.rows.select(list(self.provider.columns))
        return lookup_provider(self.lookup_mode, rows, self.row_type, context.key_positions, self.lookup.cache)

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ArrowScanProvider:
        return self.provider


@dataclass(frozen=True)
class ValuesProvider(ArrowScanProvider):
    """Rows that are part of the plan; other processes receive a copy."""

    rows: pa.RecordBatch
    columns: tuple[int, ...]

    @override
    def splits(self) -> Sequence[InputSplit]:
        return [0]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        yield self.rows.select(list(self.columns))
