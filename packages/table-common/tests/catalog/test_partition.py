from __future__ import annotations

import pytest

from table_common.catalog import (
    CatalogPartitionSpec,
)
from table_common.exceptions import CatalogException


def test_specifications_are_equal_in_whatever_order() -> None:
    one, other = CatalogPartitionSpec({"a": "1", "b": None}), CatalogPartitionSpec({"b": None, "a": "1"})
    assert (one == other, hash(one) == hash(other)) == (True, True)


def test_specification_contains_those_with_its_values() -> None:
    assert CatalogPartitionSpec({"a": "1"}).contains(CatalogPartitionSpec({"a": "1", "b": "2"}))
    assert not CatalogPartitionSpec({"a": "1"}).contains(CatalogPartitionSpec({"a": "2", "b": "2"}))


def test_completed_specification_has_the_order_of_the_keys() -> None:
    assert str(CatalogPartitionSpec({"b": None, "a": "1"}).completed(["a", "b"], "t")) == "a=1/b=__HIVE_DEFAULT_PARTITION__"


def test_specification_without_a_key_is_not_complete() -> None:
    with pytest.raises(CatalogException, match="has no value of 'b'; its keys are 'a', 'b'"):
        CatalogPartitionSpec({"a": "1"}).completed(["a", "b"], "t")


def test_key_that_is_not_the_tables_is_refused() -> None:
    with pytest.raises(CatalogException, match="Partition key 'c' does not exist in t"):
        CatalogPartitionSpec({"c": "1"}).completed(["a", "b"], "t")
