"""The contract of sources: copies, push-downs, providers. Needs no engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from table_common.annotation import override
from table_common.connector import ArrowScanProvider, RowKind, ScanTableSource, SourceProvider, SupportsArrowArray
from table_common.connector.source import DynamicFilteringData, PeriodicAssignerProvider, WatermarkAssigner
from table_common.connector.source.abilities import (
    SupportsDynamicFiltering,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsOrderedLimitPushDown,
    SupportsProjectionPushDown,
    SupportsWatermarkPushDown,
)
from table_common.data import RowData, RuntimeConverter
from table_common.expressions import ResolvedExpression
from table_common.secrets import is_secret_key
from table_common.types import RowType
from table_testing.conditions import conditions_over, is_true
from table_testing.connector_case import Row, new_folder, read_rows, repickled, same_rows
from table_testing.option_compliance import OptionCompliance


class _NoWatermarks(WatermarkAssigner):
    """The assigner of a split whose rows have no event time."""

    @override
    def open(self, context: RuntimeConverter.Context) -> None: ...

    @override
    def on_batch(self, batch: SupportsArrowArray) -> int | None:
        return None

    @override
    def on_row(self, row: RowData) -> int | None:
        return None

    @override
    def current_watermark(self) -> int | None:
        return None


class SourceCompliance(OptionCompliance):
    """The contract of every scan. Only engines read declarative providers (files): ``SqlCompliance`` covers these.

    Example:
        >>> class TestPages(SourceCompliance):
        ...     schema = "id BIGINT NOT NULL, name STRING"
        ...     def create_table(self, folder, rows):
        ...         return store_pages(folder / "pages.db", rows)
        >>> TestPages().row_type.field_names
        ('id', 'name')
    """

    def test_source_reads_all_rows(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        if self._is_readable(source):
            assert same_rows(read_rows(source, self.row_type), self.rows)

    def test_source_can_be_read_again(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        if self._is_readable(source):
            assert same_rows(read_rows(source, self.row_type), read_rows(source, self.row_type))

    def test_source_reads_no_rows_of_an_empty_table(self, tmp_path: Path) -> None:
        source = self.source(self.create_table(new_folder(tmp_path, "empty"), []))
        assert isinstance(source, ScanTableSource)
        if self._is_readable(source):
            assert read_rows(source, self.row_type) == []

    def test_source_copies_are_independent(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        copied = source.copy()
        assert type(copied) is type(source)
        before = source.as_summary_string()
        if isinstance(copied, SupportsFilterPushDown):
            copied.apply_filters([self.filters()[0][0]])
        if isinstance(copied, SupportsProjectionPushDown):
            copied.apply_projection([(0,)], RowType(self.row_type.fields[:1], nullable=False))
        if isinstance(copied, SupportsLimitPushDown):
            copied.apply_limit(1)
        assert source.as_summary_string() == before
        if self._is_readable(source):
            assert same_rows(read_rows(source, self.row_type), self.rows)

    def test_source_copies_share_no_filters(self, tmp_path: Path) -> None:
        source = self._filtering(tmp_path)
        if source is None:
            return
        before = source.copy()
        for condition, _ in sorted(self.filters(), key=lambda pair: -sum(map(pair[1], self.rows))):  # the last one is the most selective
            _filtered(source, condition)
        for unfiltered in (source, before, source.copy()):
            assert same_rows(read_rows(unfiltered, self.row_type), self.rows), "conditions applied to one copy filter another one"

    def test_source_copies_keep_what_was_applied_before(self, tmp_path: Path) -> None:
        source = self._filtering(tmp_path)
        if source is None:
            return
        for condition, holds in self.filters():
            filtered, is_taken = _filtered(source, condition)
            if is_taken:
                found = read_rows(filtered.copy(), self.row_type)
                assert same_rows(found, filter(holds, self.rows)), f"the copy of a source that took {condition} has other rows"

    def test_source_summary_is_one_line_without_secrets(self, tmp_path: Path) -> None:
        options = self.create_table(new_folder(tmp_path, "table"), self.rows)
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

    def test_source_that_makes_watermarks_has_the_same_rows(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        if not isinstance(source, SupportsWatermarkPushDown):
            return
        told, untold = source.copy(), source.copy()
        assert isinstance(told, SupportsWatermarkPushDown)
        told.apply_watermark(PeriodicAssignerProvider(_NoWatermarks()))
        for each in (told, told.copy(), untold):
            assert isinstance(each, ScanTableSource)
            provider = each.get_scan_runtime_provider(ScanTableSource.ScanContext())
            repickled(provider)  # the provider of assigners travels with it
            if self._is_readable(each):
                assert same_rows(read_rows(each, self.row_type), self.rows)

    def test_source_filters_are_accepted_or_remain(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        if not isinstance(source, SupportsFilterPushDown):
            return
        for condition, _ in self.filters():
            copied = source.copy()
            assert isinstance(copied, SupportsFilterPushDown)
            result = copied.apply_filters([condition])
            assert {*result.accepted_filters, *result.remaining_filters} == {condition}

    def test_source_filters_that_do_not_remain_are_applied_exactly(self, tmp_path: Path) -> None:
        source = self._filtering(tmp_path)
        if source is None:
            return
        for condition, holds in self.filters():
            filtered, is_taken = _filtered(source, condition)
            found = read_rows(filtered, self.row_type)
            wanted = [row for row in self.rows if holds(row)]
            kept = [row for row in found if holds(row)]
            assert same_rows(kept, wanted), f"{condition} lost rows"
            assert not is_taken or same_rows(found, wanted), f"{condition} was accepted but not applied: {found}"

    def test_source_applies_all_filters_that_it_accepts(self, tmp_path: Path) -> None:
        source = self._filtering(tmp_path)
        if source is None:
            return
        for (one, one_holds), (other, other_holds) in pairwise(self.filters()):
            filtered, is_taken = _filtered(source, one, other)
            if not is_taken:
                continue
            wanted = [row for row in self.rows if one_holds(row) and other_holds(row)]
            assert same_rows(read_rows(filtered, self.row_type), wanted), f"{one} and {other} were accepted but not applied"

    def test_source_filters_rows_before_it_chooses_columns_and_counts(self, tmp_path: Path) -> None:
        source = self._filtering(tmp_path)
        if source is None:
            return
        last = len(self.row_type.fields) - 1
        produced = RowType(self.row_type.fields[last:], nullable=False)
        for condition, holds in self.filters():
            filtered, is_taken = _filtered(source, condition)
            if not is_taken:
                continue
            wanted = [row for row in self.rows if holds(row)]
            limited, projected = filtered.copy(), filtered.copy()
            if isinstance(limited, SupportsLimitPushDown):
                limited.apply_limit(1)
                found = read_rows(limited, self.row_type)
                assert len(found) >= min(1, len(wanted)), f"a limit was applied before {condition}"
                assert all(map(holds, found)), f"{condition} was lost with a limit"
            if isinstance(projected, SupportsProjectionPushDown):
                projected.apply_projection([(last,)], produced)
                found = read_rows(projected, produced)
                assert same_rows(found, [row[last:] for row in wanted]), f"{condition} was applied to other columns after a projection"

    def test_source_projection_chooses_and_orders_columns(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path).copy()
        if not isinstance(source, SupportsProjectionPushDown) or not self._is_readable(source):
            return
        fields = self.row_type.fields
        order = list(reversed(range(len(fields))))[: max(1, len(fields) - 1)]
        produced = RowType(tuple(fields[index] for index in order), nullable=False)
        source.apply_projection([(index,) for index in order], produced)
        assert same_rows(read_rows(source, produced), [tuple(row[index] for index in order) for row in self.rows])

    def test_source_limit_leaves_enough_rows(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path).copy()
        if not isinstance(source, SupportsLimitPushDown) or not self._is_readable(source):
            return
        source.apply_limit(2)
        found = read_rows(source, self.row_type)
        assert len(found) >= min(2, len(self.rows))
        assert set(map(repr, found)) <= set(map(repr, self.rows))

    def test_source_ordered_limit_leaves_the_first_rows(self, tmp_path: Path) -> None:
        original = self._scan(tmp_path)
        if not isinstance(original, SupportsOrderedLimitPushDown) or not self._is_readable(original):
            return
        for position, field in enumerate(self.row_type.fields):
            for ascending, nulls_first in product((True, False), repeat=2):
                source = original.copy()
                assert isinstance(source, SupportsOrderedLimitPushDown)
                order = SupportsOrderedLimitPushDown.FieldOrder(position, ascending, nulls_first)
                if source.apply_ordered_limit([order], 2):
                    found = _ordered([row[position] for row in read_rows(source, self.row_type)], order)
                    first = _ordered([row[position] for row in self.rows], order)[:2]
                    assert same_rows([(value,) for value in found[:2]], [(value,) for value in first]), f"{field.name}: {order}"

    def test_source_skips_no_row_that_a_dynamic_filter_lets_pass(self, tmp_path: Path) -> None:
        source = self._scan(tmp_path)
        if not isinstance(source, SupportsDynamicFiltering) or not self._is_readable(source):
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
        """Returns conditions, each with its expected value per row; override it to add those that the connector handles specially."""
        return [(condition, partial(is_true, condition)) for condition in conditions_over(self.row_type, self.rows)]

    def _scan(self, folder: Path) -> ScanTableSource:
        source = self.source(self.create_table(new_folder(folder, "table"), self.rows))
        assert isinstance(source, ScanTableSource)
        return source

    def _is_readable(self, source: ScanTableSource) -> bool:
        return isinstance(source.get_scan_runtime_provider(ScanTableSource.ScanContext()), (ArrowScanProvider, SourceProvider))

    def _filtering(self, folder: Path) -> ScanTableSource | None:
        """Returns the source, if it accepts filters and can be read without an engine."""
        source = self._scan(folder)
        return source if isinstance(source, SupportsFilterPushDown) and self._is_readable(source) else None


def _filtered(source: ScanTableSource, *conditions: ResolvedExpression) -> tuple[ScanTableSource, bool]:
    """Returns a copy of the source with pushed conditions, and whether it applies all of them exactly."""
    copied = source.copy()
    assert isinstance(copied, SupportsFilterPushDown)
    result = copied.apply_filters(conditions)
    return copied, not result.remaining_filters


def _ordered(values: Sequence[Any], order: SupportsOrderedLimitPushDown.FieldOrder) -> list[Any]:
    nulls = [value for value in values if value is None]
    others = sorted((value for value in values if value is not None), reverse=not order.ascending)
    return [*nulls, *others] if order.nulls_first else [*others, *nulls]
