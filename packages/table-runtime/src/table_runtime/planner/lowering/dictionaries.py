"""Columns of a scan that reach an operator that takes them as dictionary arrays."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from table_runtime.run.operator import Operator
from table_runtime.steps.pipeline import Pipeline


def allow_dictionaries(child: Operator, columns: Collection[int]) -> None:
    """Lets a scan of files return the STRING columns that are these of ``child`` as dictionary arrays.

    ``child`` is the input of an operator that decodes them in all that it returns: the scan, or filters and projections above it. What has several
    consumers is below another operator.
    """
    from table_runtime.scans.scan_files import ScanFiles  # plans without files do not need it

    if isinstance(child, Pipeline):
        if not isinstance(child.inputs[0], ScanFiles):
            return
        for step in reversed(child.steps):
            columns = step.allow_dictionaries(columns) if columns else columns
        (child,) = child.inputs
    if isinstance(child, ScanFiles):
        child.dictionaries = frozenset(child.schema.field(i).name for i in columns if pa.types.is_string(child.schema.field(i).type))
