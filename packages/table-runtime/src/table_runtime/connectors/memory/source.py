"""Reads a snapshot of a memory table from planning time; push-downs are applied when the splits are created."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import import_batch, to_arrow_filter, to_arrow_schema
from table_common.connector import ArrowScanProvider, ChangelogMode, InProcessData, InProcessScanProvider, InputSplit, ScanTableSource
from table_common.connector.source import ColumnStats, ComputedColumnConverter, DynamicFilteringData, TableStats, WatermarkAssignerProvider
from table_common.connector.source.abilities import (
    PartitionValue,
    RowLevelModificationScanContext,
    RowLevelModificationType,
    SupportsAggregatePushDown,
    SupportsComputedColumnPushDown,
    SupportsDynamicFiltering,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsPartitionPushDown,
    SupportsProjectionPushDown,
    SupportsReadingMetadata,
    SupportsRowLevelModificationScan,
    SupportsSourceWatermark,
    SupportsStatisticReport,
    SupportsWatermarkPushDown,
)
from table_common.data import RuntimeConverter
from table_common.expressions import AggregateExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import EXACT_INTEGERS, DateType, LogicalType, RowField, RowType
from table_runtime.connectors.memory.aggregation import aggregated, can_aggregate
from table_runtime.connectors.memory.definition import METADATA, MemoryDefinition
from table_runtime.connectors.memory.tables import rows_of
from table_runtime.files import text_of_value


@dataclass(frozen=True)
class MemorySnapshot(RowLevelModificationScanContext):
    """The row count when a DELETE or UPDATE was planned, and the kind of modification."""

    rows: int
    modification: RowLevelModificationType


@dataclass
class MemoryTableSource(
    ScanTableSource,
    SupportsFilterPushDown,
    SupportsProjectionPushDown,
    SupportsLimitPushDown,
    SupportsPartitionPushDown,
    SupportsAggregatePushDown,
    SupportsReadingMetadata,
    SupportsStatisticReport,
    SupportsRowLevelModificationScan,
    SupportsDynamicFiltering,
    SupportsWatermarkPushDown,
    SupportsComputedColumnPushDown,
    SupportsSourceWatermark,
):
    """Accepts all push-downs, unless the option ``push-down`` is false."""

    definition: MemoryDefinition
    rows: pa.Table
    owner: pa.Table | None = None
    """The stored Arrow table from which the rows are selected."""
    filters: tuple[ResolvedExpression, ...] = ()
    partitions: frozenset[tuple[str | None, ...]] | None = None
    columns: tuple[tuple[int, ...], ...] | None = None
    metadata: tuple[str, ...] = ()
    produced_type: RowType | None = None
    grouping: tuple[int, ...] = ()
    aggregates: tuple[AggregateExpression, ...] | None = None
    limit: int | None = None
    dynamic_fields: tuple[str, ...] = ()
    converter: ComputedColumnConverter | None = None
    watermarks: WatermarkAssignerProvider | None = None
    notes: tuple[str, ...] = field(default=())
    """The applied push-downs, for summaries."""

    @override
    def as_summary_string(self) -> str:
        return f"memory({', '.join((self.definition.name, *self.notes))})"

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    @override
    def list_partitions(self) -> Sequence[Mapping[str, PartitionValue]] | None:
        if not self.definition.push_down:
            return None
        return [self.definition.described(partition) for partition in dict.fromkeys(self.definition.partitions_of(self.rows))]

    @override
    def apply_partitions(self, remaining_partitions: Sequence[Mapping[str, PartitionValue]]) -> None:
        selected = {tuple(text_of_value(partition[key]) for key in self.definition.partition_keys) for partition in remaining_partitions}
        self.rows = self._of_partitions(self.rows, selected)
        self.partitions = frozenset(selected)
        self.notes = (*self.notes, f"partitions={len(selected)}")

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        if not self.definition.push_down:
            return SupportsFilterPushDown.Result((), tuple(filters))
        condition, accepted, remaining = to_arrow_filter(filters, self.definition.physical_type)
        if condition is not None:
            self.rows = self.rows.filter(condition)
            self.filters = tuple(accepted)
            self.notes = (*self.notes, f"filters={len(accepted)}")
        return SupportsFilterPushDown.Result(tuple(accepted), tuple(remaining))

    @property
    @override
    def supports_nested_projection(self) -> bool:
        return self.definition.push_down

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.columns = tuple(tuple(path) for path in projected_fields)
        self.produced_type = produced_type

    @override
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        return METADATA

    @override
    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        self.metadata = tuple(metadata_keys)
        self.produced_type = produced_type

    @override
    def apply_aggregates(
        self, grouping_sets: Sequence[Sequence[int]], aggregate_expressions: Sequence[AggregateExpression], produced_type: RowType
    ) -> bool:
        (grouping,) = grouping_sets
        keys = [produced_type.fields[position].type for position in range(len(grouping))]
        if not self.definition.push_down or not can_aggregate(keys, aggregate_expressions):
            return False
        # The aggregates refer to the columns produced so far, so these are computed now; no projection follows.
        self.rows = self._produced()
        self.grouping, self.aggregates, self.produced_type = tuple(grouping), tuple(aggregate_expressions), produced_type
        return True

    @override
    def apply_limit(self, limit: int) -> None:
        if self.definition.push_down:
            self.limit = limit

    @override
    def report_statistics(self) -> TableStats:
        stats = {}
        for column, type_ in zip(self.definition.physical_type.field_names, self.definition.physical_type.field_types, strict=True):
            if self.aggregates is None and isinstance(type_, (*EXACT_INTEGERS, DateType)):
                values = self.rows.column(column)
                bounds = pc.min_max(values)
                stats[column] = ColumnStats(
                    ndv=pc.count_distinct(values, mode="only_valid").as_py(),
                    null_count=values.null_count,
                    min=bounds["min"].as_py(),
                    max=bounds["max"].as_py(),
                )
        return TableStats(self.rows.num_rows, stats)

    @override
    def list_accepted_filter_fields(self) -> Sequence[str]:
        return self.definition.partition_keys if self.definition.push_down else ()

    @override
    def apply_dynamic_filtering(self, candidate_filter_fields: Sequence[str]) -> None:
        self.dynamic_fields = tuple(candidate_filter_fields)

    @override
    def apply_watermark(self, watermark_assigner: WatermarkAssignerProvider) -> None:
        self.watermarks = watermark_assigner

    @override
    def apply_computed_column(self, converter: ComputedColumnConverter) -> None:
        self.converter = converter

    @override
    def apply_source_watermark(self) -> None:
        # The rows are bounded, so the source needs no watermark.
        self.notes = (*self.notes, "source watermark")

    @override
    def apply_row_level_modification_scan(
        self, row_level_modification_type: RowLevelModificationType, previous_context: RowLevelModificationScanContext | None
    ) -> RowLevelModificationScanContext | None:
        return previous_context or MemorySnapshot(self.rows.num_rows, row_level_modification_type)

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ArrowScanProvider:
        if self.dynamic_fields:
            return self._with_data(self._scan_by_values())
        rows = self.rows if self.aggregates is not None else self._produced()
        if self.limit is not None:
            rows = rows.slice(0, self.limit)
        count = max(1, min(self.definition.splits, rows.num_rows))
        size = -(-rows.num_rows // count)
        parts = [rows.slice(number * size, size) for number in range(count)]
        if self.aggregates is not None:
            assert self.produced_type is not None
            schema = to_arrow_schema(self.produced_type)
            parts = [aggregated(part, self.grouping, self.aggregates, schema) for part in parts]
        return self._with_data(MemoryScan(tuple(parts), converter=self.converter, watermarks=self.watermarks))

    def _with_data(self, scan: MemoryScan) -> MemoryScan:
        """Returns the scan with its in-process data, if the scan only selects columns and rows by conditions."""
        if self.owner is None or self.aggregates is not None or self.converter is not None:
            return scan
        definition, owner, partitions = self.definition, self.owner, self.partitions
        # Omitted columns are stored as NULL, even if their type is NOT NULL.
        row_type = RowType(tuple(RowField(f.name, f.type.with_nullability(True)) for f in definition.stored_type.fields), nullable=False)

        def batches() -> list[pa.RecordBatch]:
            rows = rows_of(owner, definition.schema)
            selected: list[pa.RecordBatch] = (rows if partitions is None else self._of_partitions(rows, partitions)).to_batches()
            return selected

        width = len(definition.physical_type.fields)
        paths = self.columns if self.columns is not None else [(i,) for i in range(width)]
        return replace(
            scan,
            data=InProcessData(row_type, owner, (row_type, definition.partition_keys, partitions), batches),
            filters=self.filters,
            columns=(*paths, *((width + list(METADATA).index(key),) for key in self.metadata)),
        )

    def _of_partitions(self, rows: pa.Table, partitions: Set[tuple[str | None, ...]]) -> pa.Table:
        return rows.filter(pa.array([partition in partitions for partition in self.definition.partitions_of(rows)], pa.bool_()))

    def _scan_by_values(self) -> MemoryScan:
        """Returns a scan with one split per combination of values of the runtime filter fields, so that splits can be pruned."""
        of_rows = list(zip(*(self.rows.column(name).to_pylist() for name in self.dynamic_fields), strict=True))
        values = tuple(dict.fromkeys(of_rows))
        number = {value: index for index, value in enumerate(values)}
        split_of = pa.array([number[value] for value in of_rows], pa.int64())
        rows = self._produced()
        return MemoryScan(tuple(rows.filter(pc.equal(split_of, index)) for index in range(len(values))), self.dynamic_fields, values)

    def _produced(self) -> pa.Table:
        """Returns the rows with the produced columns."""
        produced = self.produced_type or self.definition.physical_type
        paths = self.columns if self.columns is not None else [(i,) for i in range(len(self.definition.physical_type.fields))]
        arrays = [self._column(path) for path in paths]
        arrays += [self.rows.column(self.definition.metadata_column(key)) for key in self.metadata]
        schema = to_arrow_schema(produced)
        return pa.Table.from_arrays([array.cast(f.type) for array, f in zip(arrays, schema, strict=True)], schema=schema)

    def _column(self, path: tuple[int, ...]) -> pa.ChunkedArray:
        column = self.rows.column(self.definition.physical_type.field_names[path[0]])
        return pc.struct_field(column, list(path[1:])) if len(path) > 1 else column


@dataclass(frozen=True)
class MemoryScan(InProcessScanProvider):
    """Scans rows in this process."""

    parts: tuple[pa.Table, ...]
    fields: tuple[str, ...] = ()
    values: tuple[tuple[Any, ...], ...] = ()
    """The values of ``fields`` in the rows of each part."""
    converter: ComputedColumnConverter | None = None
    watermarks: WatermarkAssignerProvider | None = None
    data: InProcessData | None = None
    filters: tuple[ResolvedExpression, ...] = ()
    columns: tuple[tuple[int, ...], ...] = ()

    @override
    def splits(self) -> Sequence[InputSplit]:
        return range(len(self.parts))

    @override
    def filtered_splits(self, filters: Sequence[DynamicFilteringData]) -> Sequence[InputSplit]:
        places = [[self.fields.index(name) for name in data.field_names] for data in filters]
        return [
            number
            for number, values in enumerate(self.values)
            if all(data.contains(tuple(values[i] for i in place)) for data, place in zip(filters, places, strict=True))
        ]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        assert isinstance(split, int)
        if self.converter is not None:
            self.converter.open(RuntimeConverter.Context.empty())
        for batch in self.parts[split].to_batches():
            yield batch if self.converter is None else import_batch(self.converter.convert_batch(batch))

    def read_with_watermarks(self, split: InputSplit) -> Iterator[tuple[pa.RecordBatch, int | None]]:
        """Yields the rows of a split with the watermark after each batch.

        Bounded runs call ``read`` instead, because their operators do not wait for watermarks.
        """
        assigner = self.watermarks.create_assigner() if self.watermarks is not None else None
        if assigner is not None:
            assigner.open(RuntimeConverter.Context.empty())
        for batch in self.read(split):
            yield batch, assigner.on_batch(batch) if assigner is not None else None
