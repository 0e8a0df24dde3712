"""The sources that factories of connectors create."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from plan_pairs import planned
from typing_extensions import override

from table_api.operations import ContextResolvedTable, ProjectQueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.create_sources import connector_of, create_sources, factory_context, table_factory
from table_common.catalog import (
    CatalogTable,
    Column,
    MetadataColumn,
    ObjectIdentifier,
    PhysicalColumn,
    ResolvedCatalogTable,
    ResolvedSchema,
    Schema,
)
from table_common.connector import DynamicTableSink, ScanTableSource
from table_common.connector.source.abilities import SupportsReadingMetadata
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory
from table_common.types import BigIntType, IntType, LogicalType, RowType, VarCharType

PATH = ObjectIdentifier("c", "d", "t")


class PlainSource(ScanTableSource):
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


class SourceWithOffsets(PlainSource, SupportsReadingMetadata):
    keys: Sequence[str] = ()

    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        return {"offset": BigIntType(nullable=False)}

    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        self.keys = metadata_keys


@dataclass
class SourceFactory(DynamicTableSourceFactory):
    source: ScanTableSource
    contexts: list[DynamicTableFactory.Context]

    @property
    @override
    def factory_identifier(self) -> str:
        return "some"

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> ScanTableSource:
        if "broken" in context.catalog_table.options:
            raise ValidationException(f"wrong password {context.catalog_table.options['password']}")
        self.contexts.append(context)
        return self.source


class SinkFactory(DynamicTableSinkFactory):
    @property
    @override
    def factory_identifier(self) -> str:
        return "only-sink"

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> DynamicTableSink:
        raise AssertionError("nothing is written here")


class Modules:
    def __init__(self, factory: DynamicTableFactory) -> None:
        self.factory = factory

    def get_table_source_factory(self, identifier: str) -> DynamicTableFactory:
        return self.factory


def table(*columns: Column, **options: str) -> ContextResolvedTable:
    origin = CatalogTable(Schema.new_builder().build(), None, options or {"connector": "some"}, ())
    return ContextResolvedTable(PATH, ResolvedCatalogTable(origin, ResolvedSchema(columns or (PhysicalColumn("id", IntType()),))))


def with_connector(context: RuleContext, factory: DynamicTableFactory) -> RuleContext:
    session: Any = context.session
    session.modules = Modules(factory)
    return context


def source_factory(source: ScanTableSource | None = None) -> SourceFactory:
    return SourceFactory(source or PlainSource(), [])


def test_each_scan_gets_the_source_of_its_connector(context: RuleContext) -> None:
    factory = source_factory()
    plan = create_sources(planned("SELECT name FROM t", context), with_connector(context, factory))
    assert "source=[PlainSource]" in plan_text(plan)
    assert [made.object_identifier.object_name for made in factory.contexts] == ["t"]


def test_a_scan_with_a_source_keeps_it(context: RuleContext) -> None:
    scan = SourceQueryOperation(table(), source=PlainSource())
    assert create_sources(scan, context) is scan


def test_the_options_of_a_hint_win_over_those_of_the_table(context: RuleContext) -> None:
    made = factory_context(table(connector="some", depth="1", width="2"), {"depth": "3"}, context)
    assert dict(made.catalog_table.options) == {"connector": "some", "depth": "3", "width": "2"}


def test_a_connector_that_only_writes_is_refused(context: RuleContext) -> None:
    with pytest.raises(ValidationException, match=r"'only-sink' of .* can only be written to"):
        create_sources(SourceQueryOperation(table()), with_connector(context, SinkFactory()))


def test_an_error_of_the_factory_names_the_table_and_hides_secrets(context: RuleContext) -> None:
    scan = SourceQueryOperation(table(connector="some", broken="1", password="hunter2"))
    with pytest.raises(ValidationException, match=r"Cannot read `c`.`d`.`t`: wrong password") as caught:
        create_sources(scan, with_connector(context, source_factory()))
    assert "hunter2" not in str(caught.value)


def test_a_table_without_a_connector_names_the_option(context: RuleContext) -> None:
    with pytest.raises(ValidationException, match="has no option 'connector'"):
        connector_of(PATH, table(depth="1").table)


def test_a_factory_of_a_module_comes_before_the_installed_one() -> None:
    factory = source_factory()
    assert table_factory(table(connector="filesystem"), lambda identifier: factory) is factory


def test_metadata_columns_are_requested_by_key_and_cast_to_their_declared_type(context: RuleContext) -> None:
    source = SourceWithOffsets()
    columns = (PhysicalColumn("id", IntType()), MetadataColumn("o", IntType(), metadata_key="offset", virtual=True))
    plan = create_sources(SourceQueryOperation(table(*columns)), with_connector(context, source_factory(source)))
    assert source.keys == ["offset"]
    assert isinstance(plan, ProjectQueryOperation)
    assert [type_.with_nullability(True) for type_ in plan.resolved_schema.column_types] == [IntType(), IntType()]
    assert plan.child.resolved_schema.column_types == (IntType(), BigIntType(nullable=False))


@pytest.mark.parametrize(
    ("source", "column", "message"),
    [
        (PlainSource(), MetadataColumn("o", BigIntType(), metadata_key="offset"), "has no metadata"),
        (SourceWithOffsets(), MetadataColumn("o", BigIntType(), metadata_key="offfset"), "Metadata key 'offfset'"),
        (SourceWithOffsets(), MetadataColumn("o", RowType.of([("a", VarCharType())]), metadata_key="offset"), "cannot be cast to ROW"),
    ],
)
def test_metadata_that_the_source_does_not_have_is_refused(
    context: RuleContext, source: ScanTableSource, column: Column, message: str
) -> None:
    with pytest.raises(ValidationException, match=message):
        create_sources(SourceQueryOperation(table(column)), with_connector(context, source_factory(source)))
