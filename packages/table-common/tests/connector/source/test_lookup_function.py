from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from table_common.connector import AsyncLookupFunction, LookupFunction, SupportsArrowArray
from table_common.data import GenericRowData, RowData
from table_common.exceptions import ValidationException


class ByKey(LookupFunction):
    def lookup(self, key_row: RowData) -> Sequence[RowData]:
        return [key_row]


class ByBatch(LookupFunction):
    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        return keys


class AsyncByKey(AsyncLookupFunction):
    async def async_lookup(self, key_row: RowData) -> Sequence[RowData]:
        return [key_row]


def test_a_function_is_batched_if_it_defines_the_lookup_of_a_batch() -> None:
    assert ByBatch().is_batched
    assert not ByKey().is_batched
    assert not AsyncByKey().is_batched


def test_rows_of_one_key_are_looked_up() -> None:
    key = GenericRowData.of(1)
    assert ByKey().lookup(key) == [key]
    assert asyncio.run(AsyncByKey().async_lookup(key)) == [key]


def test_a_function_without_lookup_methods_is_an_error() -> None:
    class Empty(LookupFunction):
        pass

    with pytest.raises(ValidationException, match="The lookup function Empty defines neither"):
        Empty().lookup(GenericRowData.of(1))


def test_an_asynchronous_function_without_lookup_methods_is_an_error() -> None:
    class Empty(AsyncLookupFunction):
        pass

    with pytest.raises(ValidationException, match="The lookup function Empty defines neither"):
        asyncio.run(Empty().async_lookup(GenericRowData.of(1)))
