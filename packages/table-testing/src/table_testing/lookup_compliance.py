"""The contract of blocking lookup functions; the tests of the engines cover how engines call them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from table_common.arrow import columnar_rows, from_python_rows, from_row_data, import_batch, to_python_rows
from table_common.connector import (
    AsyncLookupFunctionProvider,
    FullCachingLookupProvider,
    LookupFunction,
    LookupFunctionProvider,
    LookupTableSource,
)
from table_common.connector.source.abilities import SupportsFilterPushDown, SupportsProjectionPushDown
from table_common.exceptions import ValidationException
from table_common.functions import FunctionContext
from table_common.types import BigIntType, RowField, RowType
from table_testing.conditions import conditions_over, is_true
from table_testing.connector_case import ConnectorCase, Row, new_folder, repickled, same_rows


class LookupCompliance(ConnectorCase):
    """The contract of lookups by the first column.

    Example:
        >>> class TestPages(LookupCompliance):
        ...     schema = "id BIGINT NOT NULL, name STRING"
        ...     def create_table(self, folder, rows):
        ...         return store_pages(folder / "pages.db", rows)
        >>> TestPages().row_type.field_names
        ('id', 'name')
    """

    def test_lookup_finds_the_rows_of_each_key(self, tmp_path: Path) -> None:
        keys = [row[0] for row in self.rows]
        found = self._look_up(tmp_path, keys)
        assert found is None or same_rows(found, [(keys.index(row[0]), *row) for row in self.rows])

    def test_lookup_leaves_out_keys_without_rows(self, tmp_path: Path) -> None:
        stored, missing = self.rows[:-1], self.rows[-1][0]
        found = self._look_up(tmp_path, [missing, stored[0][0]], stored)
        assert found is None or same_rows(found, [(1, *stored[0])])

    def test_lookup_of_no_known_key_finds_nothing(self, tmp_path: Path) -> None:
        found = self._look_up(tmp_path, [self.rows[-1][0]], self.rows[:-1])
        assert found is None or found == []

    def test_lookup_finds_all_rows_of_a_key(self, tmp_path: Path) -> None:
        column = 1 if self.primary_key else 0
        first, second, *others = (row for row in self.rows if row[column] is not None)
        twin = (*second[:column], first[column], *second[column + 1 :])
        found = self._look_up_by(tmp_path, column, [first[column]], [first, twin, *others])
        assert found is None or same_rows(found, [(0, *first), (0, *twin)]), (
            f"of two rows with the key {first[column]!r} {len(found)} are found"
        )

    def test_lookup_of_an_unknown_key_finds_no_row_without_key(self, tmp_path: Path) -> None:
        for column, field in enumerate(self.row_type.fields[:2]):
            if not field.type.nullable or field.name in self.primary_key:
                continue
            unknown, known, *others = (row for row in self.rows if row[column] is not None)
            without = (*unknown[:column], None, *unknown[column + 1 :])
            keys = [unknown[column], known[column]]
            found = self._look_up_by(new_folder(tmp_path, field.name), column, keys, [without, known, *others])
            assert found is None or same_rows(found, [(1, *known)]), f"rows whose '{field.name}' is NULL are found by another key"

    def test_lookup_applies_the_filters_that_the_source_took(self, tmp_path: Path) -> None:
        source = self._lookup_source(tmp_path, self.rows)
        if not isinstance(source, SupportsFilterPushDown):
            return
        keys = [row[0] for row in self.rows]
        for condition in conditions_over(self.row_type, self.rows):
            filtered = source.copy()
            assert isinstance(filtered, SupportsFilterPushDown)
            assert isinstance(filtered, LookupTableSource)
            if filtered.apply_filters([condition]).remaining_filters:
                continue
            found = self._ask(self._provider_of(filtered), [(key,) for key in keys])
            wanted = [(keys.index(row[0]), *row) for row in self.rows if is_true(condition, row)]
            assert found is None or same_rows(found, wanted), f"lookups ignore or change {condition}: {found}"

    def test_lookup_gives_the_columns_that_were_chosen(self, tmp_path: Path) -> None:
        source = self._lookup_source(tmp_path, self.rows).copy()
        if not isinstance(source, SupportsProjectionPushDown):
            return
        last = len(self.row_type.fields) - 1
        produced = RowType((self.row_type.fields[last], self.row_type.fields[0]), nullable=False)
        source.apply_projection([(last,), (0,)], produced)
        assert isinstance(source, LookupTableSource)
        keys = [row[0] for row in self.rows]
        found = self._ask(self._provider_of(source, 1), [(key,) for key in keys], produced)
        assert found is None or same_rows(found, [(keys.index(row[0]), row[last], row[0]) for row in self.rows])

    def test_lookup_by_two_columns_compares_both(self, tmp_path: Path) -> None:
        source = self._lookup_source(tmp_path, self.rows)
        known = [row for row in self.rows if row[1] is not None]
        others = [(one[0], other[1]) for one, other in zip(known, [*known[1:], *known[:1]], strict=True) if one[1] != other[1]]
        keys = [*(row[:2] for row in known), *others]
        try:
            provider = self._provider_of(source, 0, 1)
        except ValidationException:  # a system may not compare values of the second column
            return
        found = self._ask(provider, keys)
        assert found is None or same_rows(found, [(position, *row) for position, row in enumerate(known)])

    def test_lookup_provider_travels_before_it_is_opened(self, tmp_path: Path) -> None:
        repickled(self._lookup_provider(tmp_path, self.rows))

    def test_lookup_functions_are_independent(self, tmp_path: Path) -> None:
        provider = self._lookup_provider(tmp_path, self.rows)
        if not isinstance(provider, LookupFunctionProvider):
            return
        first, second = provider.create_lookup_function(), provider.create_lookup_function()
        assert first is not second
        first.open(FunctionContext())
        second.open(FunctionContext())
        first.close()
        try:
            assert self._call_lookup(second, [self.rows[0][:1]], self.row_type)
        finally:
            second.close()

    def _lookup_source(self, folder: Path, rows: Sequence[Row]) -> LookupTableSource:
        source = self.source(self.create_table(folder, list(rows)))
        assert isinstance(source, LookupTableSource)
        return source

    def _lookup_provider(self, folder: Path, rows: Sequence[Row]) -> LookupTableSource.LookupRuntimeProvider:
        return self._provider_of(self._lookup_source(folder, rows))

    def _provider_of(self, source: LookupTableSource, *columns: int) -> LookupTableSource.LookupRuntimeProvider:
        positions = tuple((column,) for column in columns or (0,))
        return source.get_lookup_runtime_provider(LookupTableSource.LookupContext(positions))

    def _look_up(self, folder: Path, keys: Sequence[object], rows: Sequence[Row] | None = None) -> list[Row] | None:
        """Returns (position of the key, row) of all rows found; None if an engine is needed to ask."""
        return self._ask(self._lookup_provider(folder, self.rows if rows is None else rows), [(key,) for key in keys])

    def _look_up_by(self, folder: Path, column: int, keys: Sequence[object], rows: Sequence[Row]) -> list[Row] | None:
        """Returns what ``_look_up`` does for keys of another column; None, too, if the system does not compare its values."""
        source = self._lookup_source(folder, rows)
        try:
            provider = self._provider_of(source, column)
        except ValidationException:
            return None
        field = self.row_type.fields[column]
        return self._ask(provider, [(key,) for key in keys], key_fields=[RowField(field.name, field.type.not_null())])

    def _ask(
        self,
        provider: LookupTableSource.LookupRuntimeProvider,
        keys: Sequence[Row],
        produced: RowType | None = None,
        key_fields: Sequence[RowField] | None = None,
    ) -> list[Row] | None:
        provider = repickled(provider)
        if isinstance(provider, (AsyncLookupFunctionProvider, FullCachingLookupProvider)):
            return None
        assert isinstance(provider, LookupFunctionProvider)
        function = provider.create_lookup_function()
        function.open(FunctionContext())
        try:
            return self._call_lookup(function, keys, self.row_type if produced is None else produced, key_fields)
        finally:
            function.close()

    def _call_lookup(
        self, function: LookupFunction, keys: Sequence[Row], produced: RowType, key_fields: Sequence[RowField] | None = None
    ) -> list[Row]:
        key_type = RowType(tuple(self._key_fields(len(keys[0])) if key_fields is None else key_fields), nullable=False)
        batch = from_python_rows(keys, key_type)
        fields = [("key", BigIntType(nullable=False)), *((field.name, field.type) for field in produced.fields)]
        if function.is_batched:
            answer = import_batch(function.lookup_batch(batch), f"{type(function).__name__}.lookup_batch")
            width = answer.num_columns
            assert width == len(fields), f"lookup_batch gave {width} columns instead of {len(fields)}: the key's position, then the row"
            return list(to_python_rows([answer], RowType.of(fields, nullable=False)))
        found: list[Row] = []
        for position, key_row in enumerate(columnar_rows(batch, key_type)):
            rows = from_row_data(list(function.lookup(key_row)), produced)
            found += [(position, *row) for row in to_python_rows([rows], produced)]
        return found

    def _key_fields(self, count: int) -> list[RowField]:
        """Returns the first columns as keys, which are never NULL."""
        return [RowField(field.name, field.type.not_null()) for field in self.row_type.fields[:count]]
