"""The options of the connector ``filesystem``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_runtime.connectors.filesystem_options import file_table

TableContext = Callable[..., DynamicTableFactory.Context]


def test_the_files_have_no_partition_columns(table: TableContext) -> None:
    definition = file_table(table({"a": "INT", "day": "STRING"}, {"connector": "filesystem", "path": "/x", "format": "csv"}, ["day"]))
    assert definition.file_type.field_names == ("a",)


def test_an_empty_path_is_refused(table: TableContext) -> None:
    with pytest.raises(ValidationException, match=r"'path' of table c\.d\.t is empty"):
        file_table(table({"a": "INT"}, {"connector": "filesystem", "path": " ", "format": "csv"}))
