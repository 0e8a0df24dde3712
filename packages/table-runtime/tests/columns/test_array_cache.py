"""Values that are computed once from an array."""

from __future__ import annotations

import gc

import pyarrow as pa

from table_runtime.casts import map_distinct_array
from table_runtime.columns.array_cache import _KNOWN, derived


def test_a_value_is_computed_once_for_each_array_and_key() -> None:
    calls: list[object] = []
    one, other = pa.array([1]), pa.array([1])
    for array, key in [(one, "a"), (one, "a"), (one, "b"), (other, "a")]:
        assert derived(array, key, lambda values: calls.append(values) or len(calls)) in (1, 2, 3)
    assert [call is one for call in calls] == [True, True, False]


def test_a_value_goes_with_its_array() -> None:
    before = len(_KNOWN)
    array = pa.array(["a", "b", "a"])
    derived(array, "distinct", lambda values: values.dictionary_encode())
    assert len(_KNOWN) == before + 1
    del array
    gc.collect()
    assert len(_KNOWN) == before


def test_functions_of_distinct_values_get_the_same_array() -> None:
    texts, seen = pa.array(["a", "b", "a", None]), []
    for _ in range(2):
        result = map_distinct_array(texts, lambda distinct: seen.append(distinct) or distinct, pa.string())
        assert result.to_pylist() == ["a", "b", "a", None]
    assert seen[0] is seen[1]
