"""Lowers ORDER BY … LIMIT over wide rows of large files: the keys first, the other columns of the few rows that are left afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from table_api.operations import ProjectQueryOperation, SortQueryOperation
from table_common.connector import FileScanProvider
from table_common.expressions import FieldReferenceExpression
from table_runtime.batch.sort.top_n import TopN
from table_runtime.columns.ordering import SortKey
from table_runtime.files import is_remote, local_path
from table_runtime.run.operator import Operator
from table_runtime.steps.pipeline import Pipeline

MOST_ROWS = 200
"""OFFSET + FETCH. More rows are probably in all row groups, and near their ends."""
FEWEST_OTHERS = 3
"""Columns that are no keys."""
LEAST_BYTES = 8 << 20
"""The size of all files. Smaller ones are read as fast at once."""


def fetched_top_n(node: SortQueryOperation, child: Operator, keys: Sequence[SortKey]) -> Operator | None:
    """Returns the operators of a top-n that reads the columns of its result last; None if all columns are read at once.

    ``child`` is the lowered input: a scan, or a projection above it that selects columns.
    """
    if node.fetch is None or not 0 < node.offset + node.fetch <= MOST_ROWS:
        return None
    below = node.child
    if not (isinstance(child, Pipeline) and isinstance(below, ProjectQueryOperation) and len(child.steps) == 1):
        return _over_scan(child, keys, node.offset, node.fetch)
    columns = [expression.field_index for expression in below.projection if isinstance(expression, FieldReferenceExpression)]
    if len(columns) < len(below.projection):
        return None
    fetched = _over_scan(child.inputs[0], [key._replace(column=columns[key.column]) for key in keys], node.offset, node.fetch)
    return None if fetched is None else Pipeline(fetched, child.steps)


def _over_scan(child: Operator, keys: Sequence[SortKey], offset: int, fetch: int) -> Operator | None:
    columns = list(dict.fromkeys(key.column for key in keys))
    if len(child.schema) - len(columns) < FEWEST_OTHERS:
        return None
    from table_runtime.scans.scan_files import ScanFiles  # plans without files do not need it

    if not isinstance(child, ScanFiles) or child.inputs or child.changes or not _has_single_rows(child.provider):
        return None
    if sum(_sizes(child.provider.paths)) < LEAST_BYTES:
        return None
    from table_runtime.scans.late_materialization import FetchRows, NumberedScan

    scan = NumberedScan(child.provider, child.schema, child.table, columns)
    top = TopN(scan, [key._replace(column=columns.index(key.column)) for key in keys], offset, fetch)
    return FetchRows(top, child, columns)


def _has_single_rows(provider: FileScanProvider) -> bool:
    """Returns whether rows of the files can be read by their positions, and all columns are in the files."""
    if provider.format != "parquet" or provider.filters or provider.limit is not None:
        return False
    if provider.partition_keys or provider.metadata or provider.nested:
        return False
    return not any("." in name for name in provider.produced_type.field_names) and not any(map(is_remote, provider.paths))


def _sizes(paths: Sequence[str]) -> Iterator[int]:
    """Yields the sizes of local files and of the files right in local folders, 0 of what is not there."""
    for text in paths:
        try:
            path = local_path(text)
            files: Iterator[Path] = path.iterdir() if path.is_dir() else iter((path,))
            yield sum(file.stat().st_size for file in files)
        except OSError:
            yield 0
