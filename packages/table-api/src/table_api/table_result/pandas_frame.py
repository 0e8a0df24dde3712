"""Rows as a ``pandas.DataFrame``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableException


def data_frame(schema: ResolvedSchema, rows: Callable[[], Any]) -> Any:
    """Returns rows, an Arrow table, as a ``pandas.DataFrame`` with timestamps in the unit of their precision.

    Raises:
        TableException: pandas is not installed; the rows are not read then.
    """
    if find_spec("pandas") is None:
        raise TableException(
            "to_pandas() needs pandas, which is not installed.", hint="pip install 'table-runtime[pandas]', or use to_arrow()"
        )
    from table_common.arrow import in_units_of_precision

    return in_units_of_precision(rows(), [column.data_type for column in schema.columns]).to_pandas()
