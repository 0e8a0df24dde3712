from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import ScanTableSource
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory
from table_common.types import IntType

TOPIC = ConfigOptions.key("topic").string_type().no_default_value()


class Mail(DynamicTableSourceFactory):
    @property
    def factory_identifier(self) -> str:
        return "mail"

    @property
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (TOPIC,)

    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> ScanTableSource:
        raise NotImplementedError


def context(**options: str) -> DynamicTableFactory.Context:
    table = ResolvedCatalogTable(
        CatalogTable(Schema(), None, {"connector": "mail", **options}), ResolvedSchema.physical([("a", IntType())])
    )
    return DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())


def test_options_are_validated_with_the_connector_among_them() -> None:
    assert Mail().validated_options(context(topic="x")).get(TOPIC) == "x"


@pytest.mark.parametrize(("options", "message"), [({}, "missing: topic"), ({"topic": "x", "topc": "y"}, "'topc'")])
def test_a_missing_or_unknown_option_names_the_table(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationException, match=rf"table c\.d\.t.*{message}"):
        Mail().validated_options(context(**options))


def test_a_factory_infers_no_schema_by_default() -> None:
    assert Mail().infer_schema(context(topic="x")) is None


def test_the_physical_row_has_the_tables_physical_columns() -> None:
    assert context().physical_row_type.field_names == ("a",)
