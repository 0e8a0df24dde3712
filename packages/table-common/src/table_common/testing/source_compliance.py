"""The contract of sources: copies, push-downs, providers, options. Needs no engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from table_common.configuration import ConfigOption, is_secret_key
from table_common.connector import ArrowScanProvider, RowKind, ScanTableSource
from table_common.connector.source import DynamicFilteringData
from table_common.connector.source.abilities import (
    SupportsDynamicFiltering,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsProjectionPushDown,
)
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import comparison
from table_common.testing.connector_case import ConnectorCase, Row, read_rows, refused, repickled, same_rows
from table_common.types import BooleanType, RowType

__all__ = ["OptionCompliance", "SourceCompliance"]


class OptionCompliance(ConnectorCase):
    """What factories do with options that are wrong."""

    def test_missing_options_are_named(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        for option in self.factory().required_options:
            error = refused(self._make, {key: value for key, value in options.items() if key not in option.all_keys})
            assert option.key in str(error)

    def test_misspelt_options_are_refused_with_the_right_key(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        for option in self._options():
            if option.key == "connector":
                continue
            error = refused(self._make, {**options, f"{option.key}x": "1"})
            assert f"{option.key}x" in str(error)
            assert option.key in str(error).replace(f"{option.key}x", "")

    def test_values_that_cannot_be_read_are_refused_with_the_key(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        for option in self._options():
            if option.type_name != "text":
                assert option.key in str(refused(self._make, {**options, option.key: "no such value"}))

    def _options(self) -> list[ConfigOption[Any]]:
        factory = self.factory()
        return [*factory.required_options, *factory.optional_options]

    def _make(self, options: dict[str, str]) -> object:
        factory = self.factory()
        return self.source(options) if hasattr(factory, "create_dynamic_table_source") else self.sink(options)


class SourceCompliance(OptionCompliance):
    """What every scan keeps to. Rows of declarative providers (files) are read by engines alone: ``SqlCompliance`` looks at these."""

    def test_source_reads_all_rows(self, tmp_path: Path) -> None:
        if self._is_readable(tmp_path):
            assert same_rows(read_rows(self._scan(tmp_path), self.row_type), self.rows)

    def test_source_can_be_read_again(self, tmp_path: Path) -> None:
        if self._is_readable(tmp_path):
            source = self._scan(tmp_path)
            assert same_rows(read_rows(source, self.row_type), read_rows(source, self.row_type))

    def test_source_reads_no_rows_of_an_empty_table(self, tmp_path: Path) -> None:
        if self._is_readable(tmp_path):
            source = self.source(self.create_table(_folder(tmp_path, "empty"), []))
            assert read_rows(source, self.row_type) == []

    def test_source_copies_are_independent(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        copied = source.copy()
        assert type(copied) is type(source)
        before = source.as_summary_string()
        if isinstance(copied, SupportsProjectionPushDown):
            copied.apply_projection([(0,)], RowType(self.row_type.fields[:1], nullable=False))
        if isinstance(copied, SupportsLimitPushDown):
            copied.apply_limit(1)
        assert source.as_summary_string() == before
        if self._is_readable(tmp_path):
            assert same_rows(read_rows(source, self.row_type), self.rows)

    def test_source_summary_is_one_line_without_secrets(self, tmp_path: Path) -> None:
        options = self.create_table(_folder(tmp_path, "table"), self.rows)
        summary = self.source(options).as_summary_string()
        assert summary.strip()
        assert "\n" not in summary
        for key, value in options.items():
            assert not (is_secret_key(key) and value in summary), f"the summary shows the option '{key}'"

    def test_source_provider_travels(self, tmp_path: Path) -> None:
        provider = self._scan(tmp_path).get_scan_runtime_provider(ScanTableSource.ScanContext())
        repickled(provider)
        if isinstance(provider, ArrowScanProvider):
            repickled(list(provider.splits()))

    def test_source_produces_insertions_in_its_changelog_mode(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        assert source.get_changelog_mode().contains(RowKind.INSERT)

    def test_source_filters_are_accepted_or_remain(self, tmp_path: Path) -> None:
        for expression, _ in self.filters():
            source = self._scan(tmp_path).copy()
            if not isinstance(source, SupportsFilterPushDown):
                return
            result = source.apply_filters([expression])
            assert {*result.accepted_filters, *result.remaining_filters} == {expression}

    def test_source_filters_that_do_not_remain_are_applied_exactly(self, tmp_path: Path) -> None:
        for expression, is_kept in self.filters():
            source = self._scan(tmp_path).copy()
            if not isinstance(source, SupportsFilterPushDown) or not self._is_readable(tmp_path):
                return
            result = source.apply_filters([expression])
            found = read_rows(source, self.row_type)
            wanted = [row for row in self.rows if is_kept(row)]
            kept = [row for row in found if is_kept(row)]
            assert same_rows(kept, wanted), f"{expression} lost rows"
            assert result.remaining_filters or same_rows(found, wanted), f"{expression} was accepted but not applied"

    def test_source_projection_chooses_and_orders_columns(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path).copy()
        if not isinstance(source, SupportsProjectionPushDown) or not self._is_readable(tmp_path):
            return
        fields = self.row_type.fields
        order = list(reversed(range(len(fields))))[: max(1, len(fields) - 1)]
        produced = RowType(tuple(fields[index] for index in order), nullable=False)
        source.apply_projection([(index,) for index in order], produced)
        assert same_rows(read_rows(source, produced), [tuple(row[index] for index in order) for row in self.rows])

    def test_source_limit_leaves_enough_rows(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path).copy()
        if not isinstance(source, SupportsLimitPushDown) or not self._is_readable(tmp_path):
            return
        source.apply_limit(2)
        found = read_rows(source, self.row_type)
        assert len(found) >= min(2, len(self.rows))
        assert set(map(repr, found)) <= set(map(repr, self.rows))

    def test_source_skips_no_row_that_a_dynamic_filter_lets_pass(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        if not isinstance(source, SupportsDynamicFiltering) or not self._is_readable(tmp_path):
            return
        for name in source.list_accepted_filter_fields():
            position = self.row_type.field_names.index(name)
            for value in dict.fromkeys(row[position] for row in self.rows if row[position] is not None):
                told = source.copy()
                assert isinstance(told, SupportsDynamicFiltering)
                told.apply_dynamic_filtering([name])
                found = read_rows(told, self.row_type, [DynamicFilteringData((name,), frozenset({(value,)}))])
                wanted = [row for row in self.rows if row[position] == value]
                assert same_rows([row for row in found if row[position] == value], wanted), f"{name} = {value!r} lost rows"
                assert same_rows(read_rows(told, self.row_type, [DynamicFilteringData((name,), None)]), self.rows)

    # --- material -----------------------------------------------------------------------------------------------------------------

    def filters(self) -> list[tuple[ResolvedExpression, Callable[[Row], bool]]]:
        """Returns conditions, each with what it says of a row: tests for NULL, and comparisons of columns with a value that occurs."""
        found: list[tuple[ResolvedExpression, Callable[[Row], bool]]] = []
        sure, truth = BooleanType(nullable=False), BooleanType()
        for index, field in enumerate(self.row_type.fields):
            column = FieldReferenceExpression(field.name, field.type, 0, index)
            found.append((CallExpression(comparison.IS_NULL, (column,), sure), lambda row, i=index: row[i] is None))  # type: ignore[misc]
            found.append((CallExpression(comparison.IS_NOT_NULL, (column,), sure), lambda row, i=index: row[i] is not None))  # type: ignore[misc]
            value = next((row[index] for row in self.rows if isinstance(row[index], (int, float, str))), None)
            if value is None:
                continue
            literal = ValueLiteralExpression(value, field.type.not_null())
            for function, holds in _COMPARISONS:
                found.append(
                    (
                        CallExpression(function, (column, literal), truth),
                        lambda row, i=index, v=value, h=holds: row[i] is not None and h(row[i], v),  # type: ignore[misc]
                    )
                )
        return found

    def _scan(self, folder: Path) -> ScanTableSource:
        source = self.source(self.create_table(_folder(folder, "table"), self.rows))
        assert isinstance(source, ScanTableSource)
        return source

    def _is_readable(self, folder: Path) -> bool:
        provider = self._scan(folder).get_scan_runtime_provider(ScanTableSource.ScanContext())
        return isinstance(provider, ArrowScanProvider)


_COMPARISONS: tuple[tuple[Any, Callable[[Any, Any], bool]], ...] = (
    (comparison.EQUALS, lambda a, b: bool(a == b)),
    (comparison.NOT_EQUALS, lambda a, b: bool(a != b)),
    (comparison.GREATER_THAN, lambda a, b: bool(a > b)),
    (comparison.LESS_THAN_OR_EQUAL, lambda a, b: bool(a <= b)),
)


def _folder(parent: Path, name: str) -> Path:
    """Returns a new empty folder: tables of one test do not share theirs."""
    count = sum(1 for _ in parent.iterdir())
    folder = parent / f"{name}-{count}"
    folder.mkdir()
    return folder
