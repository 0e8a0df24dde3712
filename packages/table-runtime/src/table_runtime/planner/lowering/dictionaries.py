"""Columns of a scan that its only consumer takes as dictionary arrays."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from table_runtime.operators.operator import Operator

__all__ = ["allow_dictionaries"]


def allow_dictionaries(child: Operator, columns: Collection[int]) -> None:
    """Lets a scan of files return the STRING columns at these positions as dictionary arrays.

    ``child`` is the input of an operator that decodes them in all that it returns. A scan with several consumers is below another operator.
    """
    from table_runtime.operators.scan_files import ScanFiles  # plans without files do not need it

    if isinstance(child, ScanFiles):
        child.dictionaries = frozenset(child.schema.field(i).name for i in columns if pa.types.is_string(child.schema.field(i).type))
