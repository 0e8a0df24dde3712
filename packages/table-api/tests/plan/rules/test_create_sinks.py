"""The sinks of INSERT, and the abilities that the statement needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from typing_extensions import override

from table_api.operations import CollectModifyOperation, ContextResolvedTable, SinkModifyOperation, ValuesQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.create_sinks import create_sink, prepare_sink, table_sink
from table_common.catalog import (
    CatalogTable,
    Column,
    MetadataColumn,
    ObjectIdentifier,
    PhysicalColumn,
    ResolvedCatalogTable,
    ResolvedSchema,
    Schema,
    TableDistribution,
)
from table_common.connector import ChangelogMode, DynamicTableSink, RowKind
from table_common.connector.sink.abilities import (
    SupportsBucketing,
    SupportsOverwrite,
    SupportsPartitioning,
    SupportsTargetColumnWriting,
    SupportsWritingMetadata,
)
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory
from table_common.types import BigIntType, IntType, LogicalType, RowType, VarCharType

ID = PhysicalColumn("id", IntType())
NAME = PhysicalColumn("name", VarCharType())


class PlainSink(DynamicTableSink):
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DynamicTableSink.SinkRuntimeProvider:
        raise AssertionError("nothing is written here")


class AbleSink(PlainSink, SupportsOverwrite, SupportsPartitioning, SupportsTargetColumnWriting, SupportsWritingMetadata, SupportsBucketing):
    """Records what is applied; writes the metadata ``level`` and ``time``, in this order, and hash buckets."""

    def __init__(self) -> None:
        self.applied: dict[str, object] = {}

    def apply_overwrite(self, overwrite: bool) -> None:
        self.applied["overwrite"] = overwrite

    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        self.applied["partition"] = dict(partition)

    def apply_target_columns(self, target_columns: Sequence[Sequence[int]]) -> None:
        self.applied["columns"] = list(target_columns)

    def list_writable_metadata(self) -> Mapping[str, LogicalType]:
        return {"level": IntType(), "time": BigIntType()}

    def apply_writable_metadata(self, metadata_keys: Sequence[str], consumed_type: RowType) -> None:
        self.applied["metadata"] = list(metadata_keys)

    def list_algorithms(self) -> frozenset[str]:
        return frozenset({"HASH"})

    def requires_bucket_count(self) -> bool:
        return True


class ChangesOnly(PlainSink):
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode(frozenset({RowKind.DELETE}))


class SinkFactory(DynamicTableSinkFactory):
    @property
    @override
    def factory_identifier(self) -> str:
        return "some"

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        if "broken" in context.catalog_table.options:
            raise ValidationException("the host is missing")
        return AbleSink()


class SourceFactory(DynamicTableSourceFactory):
    @property
    @override
    def factory_identifier(self) -> str:
        return "only-source"

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> Any:
        raise AssertionError("nothing is read here")


class Modules:
    def __init__(self, factory: DynamicTableFactory) -> None:
        self.factory = factory

    def get_table_sink_factory(self, identifier: str) -> DynamicTableFactory:
        return self.factory


def table(
    *columns: Column, partition_keys: tuple[str, ...] = (), distribution: TableDistribution | None = None, **options: str
) -> ContextResolvedTable:
    schema = ResolvedSchema(columns or (ID, NAME))
    origin = CatalogTable(Schema.new_builder().build(), None, {"connector": "some", **options}, partition_keys, distribution=distribution)
    return ContextResolvedTable(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(origin, schema))


def insertion(into: ContextResolvedTable, **fields: Any) -> SinkModifyOperation:
    consumed = [(column.name, column.data_type) for column in into.table.resolved_schema.columns]
    return SinkModifyOperation(ValuesQueryOperation((), ResolvedSchema.physical(consumed)), into, **fields)


def applied(operation: SinkModifyOperation) -> dict[str, object]:
    sink = AbleSink()
    assert prepare_sink(operation, sink).sink is sink
    return sink.applied


def connected(context: RuleContext, factory: DynamicTableFactory) -> RuleContext:
    session: Any = context.session
    session.modules = Modules(factory)
    return context


def test_an_insertion_gets_the_sink_of_its_connector(context: RuleContext) -> None:
    created = create_sink(insertion(table()), connected(context, SinkFactory()))
    assert isinstance(created, SinkModifyOperation)
    assert isinstance(created.sink, AbleSink)


def test_other_operations_and_insertions_with_a_sink_stay(context: RuleContext) -> None:
    collected = CollectModifyOperation(insertion(table()).child)
    prepared = replace(insertion(table()), sink=PlainSink())
    assert create_sink(collected, context) is collected
    assert create_sink(prepared, context) is prepared


def test_a_connector_that_only_reads_is_refused(context: RuleContext) -> None:
    with pytest.raises(ValidationException, match=r"'only-source' of .* can only be read"):
        table_sink(table(), {}, connected(context, SourceFactory()))


def test_an_error_of_the_factory_names_the_table(context: RuleContext) -> None:
    with pytest.raises(ValidationException, match=r"Cannot write `c`.`d`.`t`: the host is missing"):
        table_sink(table(), {"broken": "1"}, connected(context, SinkFactory()))


def test_overwrite_is_applied() -> None:
    assert applied(insertion(table(), overwrite=True)) == {"overwrite": True}


def test_the_static_partition_of_a_partitioned_table_is_applied() -> None:
    partitioned = table(partition_keys=("name",))
    assert applied(insertion(partitioned, static_partition={"name": "a"})) == {"partition": {"name": "a"}}
    assert applied(insertion(partitioned)) == {"partition": {}}


def test_the_column_list_is_applied_as_paths() -> None:
    assert applied(insertion(table(), target_columns=(1,))) == {"columns": [(1,)]}


@pytest.mark.parametrize(
    ("operation", "statement"),
    [
        (insertion(table(), overwrite=True), "INSERT OVERWRITE"),
        (insertion(table(partition_keys=("name",)), static_partition={"name": "a"}), "PARTITION"),
        (insertion(table(distribution=TableDistribution("HASH", ("id",), 2))), "DISTRIBUTED BY"),
    ],
)
def test_a_sink_without_the_ability_is_refused(operation: SinkModifyOperation, statement: str) -> None:
    with pytest.raises(ValidationException, match=f"^{statement} is not supported by the connector 'some' of `c`.`d`.`t`"):
        prepare_sink(operation, PlainSink())


def test_a_sink_that_accepts_no_inserts_is_refused() -> None:
    with pytest.raises(ValidationException, match=r"^INSERT is not supported by the connector 'some'"):
        prepare_sink(insertion(table()), ChangesOnly())


def test_metadata_columns_move_behind_the_physical_ones_in_the_order_of_the_sink() -> None:
    columns = (MetadataColumn("at", IntType(), metadata_key="time"), ID, MetadataColumn("level", IntType()), NAME)
    sink = AbleSink()
    prepared = prepare_sink(insertion(table(*columns), target_columns=(0, 1)), sink)
    assert prepared.child.resolved_schema.column_names == ("id", "name", "level", "at")
    assert prepared.child.resolved_schema.column_types == (IntType(), VarCharType(), IntType(), BigIntType())
    assert sink.applied == {"metadata": ["level", "time"], "columns": [(0,), (3,)]}


@pytest.mark.parametrize(
    ("sink", "column", "message"),
    [
        (PlainSink(), MetadataColumn("level", IntType()), "The connector 'some' of .* cannot write the metadata column 'level'"),
        (AbleSink(), MetadataColumn("levle", IntType()), "Metadata key 'levle'"),
        (AbleSink(), MetadataColumn("level", RowType.of([("a", IntType())])), "cannot be cast to INT"),
    ],
)
def test_metadata_that_the_sink_cannot_write_is_refused(sink: DynamicTableSink, column: Column, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        prepare_sink(insertion(table(ID, column)), sink)


@pytest.mark.parametrize(
    ("distribution", "message"),
    [
        (TableDistribution("HASH", ("id",), None), "A number of buckets is required"),
        (TableDistribution("RANGE", ("id",), 2), "Distribution 'RANGE'"),
    ],
)
def test_buckets_that_the_sink_cannot_make_are_refused(distribution: TableDistribution, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        prepare_sink(insertion(table(distribution=distribution)), AbleSink())


def test_buckets_that_the_sink_makes_are_accepted() -> None:
    assert applied(insertion(table(distribution=TableDistribution("HASH", ("id",), 2)))) == {}
