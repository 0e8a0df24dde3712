"""The methods of ``TableEnvironment`` that read in-process data: Arrow data and pandas data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from table_api.environment.session_holder import SessionHolder
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.python_data.arrow_scan import ArrowSchema
    from table_api.tables.table import Table


class ArrowTables(SessionHolder):
    """Creates tables from in-process data."""

    def from_arrow(self, data: object, schema: ArrowSchema = None, splits_num: int = 1) -> Table:
        """Returns Arrow data of this process as a table: of pyarrow, polars, DuckDB or any library with Arrow's C interface.

        Filters, projections and limits are pushed into the scan. Spark receives one copy with the first query and keeps it in the memory of
        its driver while the table is in use; larger data belongs in files.

        Args:
            data: a table, record batch or reader of pyarrow, an object with ``__arrow_c_stream__`` or ``__arrow_c_array__``, or a LazyFrame
                of polars. A stream is consumed by this call, a LazyFrame is collected.
            schema: a ROW type or a list of types, by position; numbers are converted if no value changes. Or the names of the columns.
                None: the names and types of the data.
            splits_num: the number of tasks that may read the data in parallel.

        Raises:
            ValidationException: the data is of another class, has a type without a SQL type, or does not match ``schema``.
            TableException: pyarrow is not installed.
        """
        from table_api.python_data.arrow_scan import operation_of_data  # few programs bring Arrow data
        from table_api.tables.table import Table

        return Table(self._session, operation_of_data(self._session, data, schema, splits_num))

    def from_pandas(self, pdf: Any, schema: ArrowSchema = None, splits_num: int = 1) -> Table:
        """Returns a pandas data frame as a table, without its index; the arguments are those of ``from_arrow``.

        Raises:
            ValidationException: it is not a data frame, a column has values of several types, or the columns do not match ``schema``.
            TableException: pyarrow is not installed.
        """
        if not (hasattr(pdf, "columns") and hasattr(pdf, "index")):
            raise ValidationException(
                f"from_pandas takes a pandas.DataFrame, but got {type(pdf).__qualname__}.", hint="from_arrow(data), from_elements(rows)"
            )
        return self.from_arrow(pdf, schema, splits_num)
