"""The contract of lookups, for functions that wait; the ways in which engines call them are tested with the engines."""

from __future__ import annotations

from pathlib import Path

from table_common import arrow
from table_common.connector import (
    AsyncLookupFunctionProvider,
    FullCachingLookupProvider,
    LookupFunctionProvider,
    LookupTableSource,
)
from table_common.functions import FunctionContext
from table_common.testing.connector_case import ConnectorCase, Row, repickled, same_rows
from table_common.types import BigIntType, RowType

__all__ = ["LookupCompliance"]


class LookupCompliance(ConnectorCase):
    """What every lookup by the first column keeps to."""

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
            assert self._call_lookup(second, [self.rows[0][0]])
        finally:
            second.close()

    def _lookup_provider(self, folder: Path, rows: object) -> LookupTableSource.LookupRuntimeProvider:
        source = self.source(self.create_table(folder, list(rows)))  # type: ignore[call-overload]
        assert isinstance(source, LookupTableSource)
        return source.get_lookup_runtime_provider(LookupTableSource.LookupContext(((0,),)))

    def _look_up(self, folder: Path, keys: list[object], rows: object = None) -> list[Row] | None:
        """Returns (position of the key, row) of all rows found; None if an engine is needed to ask."""
        provider = repickled(self._lookup_provider(folder, self.rows if rows is None else rows))
        if isinstance(provider, (AsyncLookupFunctionProvider, FullCachingLookupProvider)):
            return None
        assert isinstance(provider, LookupFunctionProvider)
        function = provider.create_lookup_function()
        function.open(FunctionContext())
        try:
            return self._call_lookup(function, keys)
        finally:
            function.close()

    def _call_lookup(self, function: object, keys: list[object]) -> list[Row]:
        from table_common.connector import LookupFunction

        assert isinstance(function, LookupFunction)
        key_type = RowType(self.row_type.fields[:1], nullable=False)
        batch = arrow.from_python_rows([(key,) for key in keys], key_type)
        fields = [("key", BigIntType(nullable=False)), *((field.name, field.type) for field in self.row_type.fields)]
        if function.is_batched:
            return list(arrow.to_python_rows([arrow.import_batch(function.lookup_batch(batch))], RowType.of(fields, nullable=False)))
        found: list[Row] = []
        for position, key_row in enumerate(arrow.columnar_rows(batch, key_type)):
            from table_common.arrow import from_row_data

            rows = from_row_data(list(function.lookup(key_row)), self.row_type)
            found += [(position, *row) for row in arrow.to_python_rows([rows], self.row_type)]
        return found
