"""The connector ``values``: rows that a program registered under a name. It serves tests."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import from_python_rows
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.connector import ArrowScanProvider, ChangelogMode, DynamicTableSource, InputSplit, ScanTableSource
from table_common.connector.source.abilities import SupportsProjectionPushDown
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory, validate_options
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import RowType

__all__ = ["ValuesProvider", "ValuesTableFactory", "ValuesTableSource", "register_values", "unregister_values"]

CONNECTOR = ConfigOptions.key("connector").string_type().no_default_value()
DATA_ID = ConfigOptions.key("data-id").string_type().no_default_value().with_description("The name given to register_values.")

_ROWS: dict[str, tuple[Sequence[Any], ...]] = {}
_LOCK = threading.Lock()


def register_values(data_id: str, rows: Sequence[Sequence[Any]]) -> None:
    """Keeps Python rows for tables with this ``data-id``, in place of rows kept before; they live as long as the process."""
    with _LOCK:
        _ROWS[data_id] = tuple(rows)


def unregister_values(data_id: str) -> None:
    """Forgets the rows; does nothing if there are none."""
    with _LOCK:
        _ROWS.pop(data_id, None)


class ValuesTableFactory(DynamicTableSourceFactory):
    """Makes sources of registered rows."""

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
        return (CONNECTOR,)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        table = context.catalog_table
        where = f"table {context.object_identifier.as_summary_string()}"
        data_id = validate_options(table.options, self.required_options, self.optional_options, where).get(DATA_ID)
        with _LOCK:
            rows = _ROWS.get(data_id)
            if rows is None:
                raise ValidationException.unknown("Values", data_id, tuple(_ROWS), where=where)
        row_type = table.resolved_schema.to_physical_row_type()
        return ValuesTableSource(data_id, ValuesProvider(from_python_rows(rows, row_type), tuple(range(len(row_type.fields)))))


@dataclass
class ValuesTableSource(ScanTableSource, SupportsProjectionPushDown):
    """Reads the rows as they were when the statement was planned."""

    data_id: str
    provider: ValuesProvider

    @override
    def copy(self) -> ValuesTableSource:
        return replace(self)

    @override
    def as_summary_string(self) -> str:
        return f"values({self.data_id})"

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.provider = replace(self.provider, columns=tuple(path[0] for path in projected_fields))

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ArrowScanProvider:
        return self.provider


@dataclass(frozen=True)
class ValuesProvider(ArrowScanProvider):
    """Rows that travel with the plan: other processes get a copy."""

    rows: pa.RecordBatch
    columns: tuple[int, ...]

    @override
    def splits(self) -> Sequence[InputSplit]:
        return [0]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        yield self.rows.select(list(self.columns))
