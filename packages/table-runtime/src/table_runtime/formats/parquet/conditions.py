"""Conditions over text columns of Parquet files that are read as dictionaries: evaluated once for each value, not once for each row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_filter
from table_common.expressions import ResolvedExpression
from table_common.types import RowType, VarCharType
from table_runtime.columns.batches import concat_arrays
from table_runtime.formats.conditions import at_positions, referenced_names
from table_runtime.formats.parquet.dictionaries import require_indices

MOST_VALUES = 1 << 16
"""Maximum number of values of a column whose results are remembered."""


def conditions_on_texts(filters: Sequence[ResolvedExpression], row_type: RowType) -> dict[str, list[ResolvedExpression]]:
    """Returns the STRING columns that filters use only alone, each with its filters, which Arrow can all evaluate."""
    types = {field.name: field.type for field in row_type.fields}
    found: dict[str, list[ResolvedExpression]] = {}
    others: set[str] = set()
    for condition in filters:
        names = referenced_names(condition)
        (name,) = names if len(names) == 1 else ("",)
        if name in types and types[name].with_nullability(True) == VarCharType() and _arrow_filter([condition], row_type) is not None:
            found.setdefault(name, []).append(condition)
        else:
            others |= names
    return {name: conditions for name, conditions in found.items() if name not in others}


class TextConditions:
    """Selects rows of batches by conditions over single columns that are dictionary arrays of texts. Safe to use from several threads.

    ``rest`` is Arrow's expression for the conditions over other columns. Since others evaluate all conditions again, it is used only where the
    texts leave most rows.
    """

    def __init__(self, conditions: Mapping[str, Sequence[ResolvedExpression]], row_type: RowType, rest: Any = None) -> None:
        self._rest = rest
        self._columns = {name: _ValuesOf(name, _arrow_filter(of_column, row_type)) for name, of_column in conditions.items()}

    @property
    def names(self) -> Collection[str]:
        """The columns."""
        return self._columns.keys()

    def matching(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Returns the rows for which the conditions on texts are TRUE; other rows are left out only if a condition of the rest is not TRUE.

        Raises:
            pyarrow.ArrowInvalid: an index has no value.
        """
        mask: Any = None
        for name, values in self._columns.items():
            passed = values.mask(batch.column(name))
            mask = passed if mask is None else pc.and_(mask, passed)
        if mask is not None and self._rest is not None and 2 * mask.true_count > batch.num_rows:
            mask = pc.and_(mask, _evaluated(self._rest, pa.Table.from_batches([batch])))
        return batch if mask is None or mask.true_count == batch.num_rows else pc.filter(batch, mask)


class _ValuesOf:
    """The values of one column for which a condition is TRUE, and the other ones that were seen."""

    def __init__(self, name: str, condition: Any) -> None:
        self._name = name
        self._condition = condition
        self._results: dict[bytes | None, bool] = {}

    def mask(self, column: pa.DictionaryArray) -> pa.Array:
        """Returns for each row whether the condition is TRUE."""
        require_indices(column)
        values = column.dictionary
        keys = [*values.view(pa.binary()).to_pylist(), None]
        results = self._results
        if not all(key in results for key in keys):
            texts = pa.concat_arrays([values, pa.nulls(1, values.type)])
            found = _evaluated(self._condition, pa.Table.from_arrays([texts], names=[self._name]))
            results = dict(zip(keys, found.to_pylist(), strict=True))
            # A new mapping, because other threads read this one.
            self._results = {**self._results, **results} if len(self._results) + len(results) <= MOST_VALUES else results
        mask = pc.take(pa.array([results[key] for key in keys[:-1]], pa.bool_()), column.indices)
        return pc.fill_null(mask, results[None]) if column.null_count else mask


def _evaluated(condition: Any, table: pa.Table) -> pa.Array:
    """Returns for each row of a table whether Arrow's expression is TRUE."""
    from pyarrow._acero import Declaration, ProjectNodeOptions, TableSourceNodeOptions  # few scans have such conditions

    source = Declaration("table_source", TableSourceNodeOptions(table))
    project = Declaration("project", ProjectNodeOptions([condition], ["result"]))
    result = Declaration.from_sequence([source, project]).to_table(use_threads=False).column(0)
    return pc.fill_null(concat_arrays(result.chunks, pa.bool_()), False)


def _arrow_filter(conditions: Sequence[ResolvedExpression], row_type: RowType) -> Any:
    """Returns Arrow's expression for conditions over columns by name; None if it cannot evaluate all of them."""
    positions = {name: index for index, name in enumerate(row_type.field_names)}
    expression, _, remaining = to_arrow_filter([at_positions(condition, positions) for condition in conditions], row_type)
    return None if remaining else expression
