"""The connector ``datagen``: its options, its splits and batches."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from table_common.connector import ScanTableSource
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory
from table_runtime.connectors import datagen as module
from table_runtime.connectors.datagen import DataGenProvider, DataGenTableFactory, DataGenTableSource

TableContext = Callable[..., DynamicTableFactory.Context]


def provider_of(table: TableContext, columns: dict[str, str], **options: str) -> DataGenProvider:
    given = {"connector": "datagen", **{key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}}
    source = DataGenTableFactory().create_dynamic_table_source(table(columns, given))
    assert isinstance(source, DataGenTableSource)
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    assert isinstance(provider, DataGenProvider)
    return provider


def rows_of(provider: DataGenProvider) -> list[dict[str, Any]]:
    return [row for split in provider.splits() for batch in provider.read(split) for row in batch.to_pylist()]


def test_options_of_a_column_stand_below_its_name(table: TableContext) -> None:
    options = {
        "fields__a__min": "5",
        "fields__a__max": "5",
        "fields__r__x__length": "2",
        "fields__l__element__max": "-9",
        "fields__l__length": "1",
    }
    provider = provider_of(
        table, {"a": "INT", "r": "ROW<x STRING>", "l": "ARRAY<TINYINT>"}, number_of_rows="3", fields__l__element__min="-9", **options
    )
    rows = rows_of(provider)
    assert [(row["a"], len(row["r"]["x"]), row["l"]) for row in rows] == [(5, 2, [-9])] * 3


@pytest.mark.parametrize(("type_", "length"), [("CHAR(4)", 4), ("VARCHAR(6)", 6), ("STRING", 100), ("BINARY(3)", 3), ("ARRAY<INT>", 3)])
def test_the_length_is_that_of_the_type_unless_it_is_given(table: TableContext, type_: str, length: int) -> None:
    assert {len(row["a"]) for row in rows_of(provider_of(table, {"a": type_}, number_of_rows="5"))} == {length}


def test_splits_and_batches_do_not_change_the_rows(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    sequence = {"fields__a__kind": "sequence", "fields__a__start": "10", "fields__a__end": "99"}
    monkeypatch.setattr(module, "_SPLIT_ROWS", 8)
    monkeypatch.setattr(module, "_BATCH_ROWS", 3)
    provider = provider_of(table, {"a": "INT"}, number_of_rows="20", seed="1", **sequence)
    assert provider.splits() == [(0, 8), (8, 8), (16, 4)]
    assert [[batch.num_rows for batch in provider.read(split)] for split in provider.splits()] == [[3, 3, 2], [3, 3, 2], [3, 1]]
    assert [row["a"] for row in rows_of(provider)] == list(range(10, 30))


def test_batches_of_wide_rows_have_fewer_of_them(table: TableContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 1000)
    provider = provider_of(table, {"a": "STRING"}, number_of_rows="25", fields__a__length="100")
    assert [batch.num_rows for split in provider.splits() for batch in provider.read(split)] == [10, 10, 5]


def test_the_shortest_sequence_ends_the_table(table: TableContext) -> None:
    options = {
        f"fields__{name}__{key}": value
        for name, end in (("a", "5"), ("b", "3"))
        for key, value in (("kind", "sequence"), ("start", "1"), ("end", end))
    }
    assert rows_of(provider_of(table, {"a": "INT", "b": "STRING"}, number_of_rows="9", **options)) == [
        {"a": 1, "b": "1"},
        {"a": 2, "b": "2"},
        {"a": 3, "b": "3"},
    ]


def test_a_table_without_a_number_of_rows_never_ends(table: TableContext) -> None:
    assert not provider_of(table, {"a": "INT"}).is_bounded
    provider = provider_of(table, {"a": "INT"}, number_of_rows="0")
    assert provider.is_bounded
    assert rows_of(provider) == []


def test_a_seed_gives_the_same_rows_in_another_process(table: TableContext) -> None:
    provider = provider_of(table, {"a": "BIGINT", "b": "STRING"}, number_of_rows="10", seed="5")
    assert rows_of(pickle.loads(pickle.dumps(provider))) == rows_of(provider)
    without = provider_of(table, {"a": "BIGINT"}, number_of_rows="10")
    assert rows_of(without) == rows_of(without)
    assert rows_of(without) != rows_of(provider_of(table, {"a": "BIGINT"}, number_of_rows="10"))


@pytest.mark.parametrize(
    ("type_", "options", "expected"),
    [
        ("INT", {"kind": "order"}, "'fields.a.kind' of table c.d.t must be 'random' or 'sequence', but is 'order'"),
        ("INT", {"null-rate": "1.5"}, "'fields.a.null-rate' .* must be a number from 0 to 1"),
        ("INT", {"null-rate": "NaN"}, "'fields.a.null-rate' .* must be a number, but is 'NaN'"),
        ("INT", {"min": "x"}, "'fields.a.min' .* must be a number, but is 'x'"),
        ("INT", {"min": "Infinity"}, "'fields.a.min' .* must be a number, but is 'Infinity'"),
        ("INT", {"min": "5", "max": "4"}, "'fields.a.min' .* must be at most 'fields.a.max', which is 4, but is '5'"),
        ("FLOAT", {"min": "5"}, "'fields.a.min' .* must be at most 'fields.a.max', which is 1"),
        ("DOUBLE", {"max": "-1"}, "'fields.a.max' .* must be at least 'fields.a.min', which is 0, but is '-1'"),
        ("INTERVAL MONTH", {"min": "200000"}, "'fields.a.min' .* must be at most 'fields.a.max', which is 120000"),
        ("TINYINT", {"max": "128"}, "'fields.a.max' .* must be in the range of the type TINYINT, but is '128'"),
        ("BIGINT", {"min": "-9223372036854775809"}, "must be in the range of the type BIGINT"),
        ("DECIMAL(3, 1)", {"max": "1000"}, r"must be in the range of the type DECIMAL\(3, 1\)"),
        ("INT", {"min": "1.5"}, "'fields.a.min' .* must be a whole number, but is '1.5'"),
        ("VARCHAR(3)", {"length": "4"}, "'fields.a.length' .* must be a number from 0 to 3"),
        ("STRING", {"length": "-1"}, "'fields.a.length' .* must be a number from 0 to"),
        ("STRING", {"length": "2147483647"}, "values of 'fields.a' .* would have 2,147,483,647 .* may have 268,435,456"),
        ("ARRAY<INT>", {"length": "2147483647"}, "values of 'fields.a' .* would have 2,147,483,647"),
        ("ARRAY<ARRAY<INT>>", {"length": "100000", "element.length": "10000"}, "would have 1,000,000,000"),
        ("INT", {"kind": "sequence", "start": "1"}, "A sequence needs the options 'fields.a.start' and 'fields.a.end'"),
        ("INT", {"kind": "sequence", "start": "2", "end": "1"}, "A sequence needs"),
        ("TINYINT", {"kind": "sequence", "start": "1", "end": "200"}, "'fields.a.end' .* must be in the range of the type TINYINT"),
        ("DOUBLE", {"kind": "sequence", "start": "1.5", "end": "2"}, "'fields.a.start' .* must be a whole number"),
        ("STRING", {"kind": "sequence", "start": "0", "end": "1e30"}, "'fields.a.end' .* must be"),
        ("BOOLEAN", {"kind": "sequence"}, "'fields.a.kind' .* must be 'random' for the type BOOLEAN"),
        (
            "ARRAY<INT>",
            {"element.kind": "sequence", "element.start": "1", "element.end": "9"},
            "'fields.a.element.kind' .* must be 'random' inside",
        ),
        ("ARRAY<ROW<x INT>>", {"element.x.kind": "sequence", "element.x.start": "1", "element.x.end": "9"}, "must be 'random' inside"),
        ("MAP<INT, INT>", {"key.null-rate": "0.5"}, "'fields.a.key.null-rate' .* must be 0"),
        ("MULTISET<INT>", {"element.null-rate": "0.5"}, "'fields.a.element.null-rate' .* must be 0"),
        ("INT", {"length": "3"}, "unknown: 'fields.a.length'"),
        ("TIMESTAMP(3)", {"max-past": "soon"}, "max-past"),
        ("VARIANT", {}, "cannot generate values of the type VARIANT of 'fields.a'"),
        ("ROW<x ARRAY<VARIANT>>", {}, "cannot generate values of the type VARIANT of 'fields.a.x.element'"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_accepted(table: TableContext, type_: str, options: dict[str, str], expected: str) -> None:
    given = {"connector": "datagen", "number-of-rows": "1", **{f"fields.a.{key}": value for key, value in options.items()}}
    with pytest.raises(ValidationException, match=expected):
        DataGenTableFactory().create_dynamic_table_source(table({"a": type_}, given))


def test_a_negative_number_of_rows_is_refused(table: TableContext) -> None:
    with pytest.raises(ValidationException, match=r"'number-of-rows' of table c\.d\.t must not be negative, but is -1"):
        provider_of(table, {"a": "INT"}, number_of_rows="-1")


def test_a_batch_of_nested_values_is_as_large_as_one_of_texts(table: TableContext) -> None:
    provider = provider_of(table, {"a": "ARRAY<STRING>"}, number_of_rows="2", fields__a__length="100", fields__a__element__length="500000")
    (split,) = provider.splits()
    assert next(iter(provider.read(split))).num_rows == 1


def test_values_of_a_map_may_be_null(table: TableContext) -> None:
    provider = provider_of(table, {"a": "MAP<INT, INT>"}, number_of_rows="3", fields__a__value__null_rate="1")
    assert {value for row in rows_of(provider) for _, value in row["a"]} == {None}
