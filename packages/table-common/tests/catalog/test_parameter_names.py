"""Parameters of catalogs have PyFlink's names, so that programs that pass them by name run."""

from __future__ import annotations

import inspect

import pytest

from table_common.catalog import Catalog, Column

NAMES = {
    "create_database": "name database ignore_if_exists",
    # PyFlink calls it ignore_if_exists, which says the opposite of what it does; Flink's name is kept.
    "drop_database": "name ignore_if_not_exists cascade",
    "alter_database": "name new_database ignore_if_not_exists",
    "create_table": "table_path table ignore_if_exists",
    "alter_table": "table_path new_table ignore_if_not_exists",
    "rename_table": "table_path new_table_name ignore_if_not_exists",
    "drop_table": "table_path ignore_if_not_exists",
    "list_partitions": "table_path partition_spec",
    "create_partition": "table_path partition_spec partition ignore_if_exists",
    "alter_partition": "table_path partition_spec new_partition ignore_if_not_exists",
    "drop_partition": "table_path partition_spec ignore_if_not_exists",
    "create_function": "function_path function ignore_if_exists",
    "alter_function": "function_path new_function ignore_if_not_exists",
    "drop_function": "function_path ignore_if_not_exists",
    "create_model": "model_path model ignore_if_exists",
    "alter_table_statistics": "table_path table_statistics ignore_if_not_exists",
    "alter_table_column_statistics": "table_path column_statistics ignore_if_not_exists",
    "alter_partition_statistics": "table_path partition_spec partition_statistics ignore_if_not_exists",
    "alter_partition_column_statistics": "table_path partition_spec column_statistics ignore_if_not_exists",
}


@pytest.mark.parametrize("method", NAMES)
def test_a_method_of_a_catalog_has_pyflinks_parameters(method: str) -> None:
    assert [name for name in inspect.signature(getattr(Catalog, method)).parameters if name != "self"] == NAMES[method].split()


def test_the_copy_of_a_column_takes_its_type_by_pyflinks_name() -> None:
    assert "new_type" in inspect.signature(Column.copy).parameters
