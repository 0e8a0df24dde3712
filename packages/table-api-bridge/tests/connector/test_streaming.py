"""Tables of Spark that are read as streaming DataFrames: the options, without a running Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from table_api_bridge import DataFrameScanProvider, SparkTableFactory
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import Configuration
from table_common.connector import ScanTableSource
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_common.types import IntType


def provider_of(options: Mapping[str, str]) -> Any:
    schema = Schema.new_builder().column("a", "INT").build()
    origin = CatalogTable(schema, options={"connector": "spark", "table": "s.t", **options})
    table = ResolvedCatalogTable(origin, ResolvedSchema.physical([("a", IntType())]))
    context = DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, Configuration(), False)
    source = SparkTableFactory().create_dynamic_table_source(context)
    assert isinstance(source, ScanTableSource)
    return source.get_scan_runtime_provider(ScanTableSource.ScanContext(True, "UTC"))


def test_a_streaming_table_is_unbounded_also_in_batch_mode() -> None:
    provider = provider_of({"streaming": "true", "streaming.maxFilesPerTrigger": "1"})
    assert isinstance(provider, DataFrameScanProvider)
    assert not provider.is_bounded
    assert "streaming DataFrame" in provider.refusal
    assert provider.create.streaming == {"maxFilesPerTrigger": "1"}  # type: ignore[attr-defined]


def test_other_tables_are_bounded() -> None:
    assert provider_of({}).is_bounded
    assert provider_of({"streaming": "false"}).is_bounded


def test_options_of_the_reader_are_for_streaming_tables() -> None:
    with pytest.raises(ValidationException, match=r"'streaming.maxFilesPerTrigger' is for a table that is read as a streaming DataFrame"):
        provider_of({"streaming.maxFilesPerTrigger": "1"})


def test_the_option_is_a_boolean() -> None:
    with pytest.raises(ValidationException, match="streaming"):
        provider_of({"streaming": "perhaps"})
