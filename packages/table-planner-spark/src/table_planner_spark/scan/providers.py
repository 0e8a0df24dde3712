"""Reads runtime providers on Spark, and says which are not supported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_api_bridge import DataFrameScanProvider, DataFrameSinkProvider, SparkFileScanProvider
from table_common.catalog import ResolvedSchema
from table_common.connector import (
    ArrowScanProvider,
    ArrowSinkProvider,
    FileScanProvider,
    FileSinkProvider,
    InProcessScanProvider,
    InputFormatProvider,
    SourceFunctionProvider,
    SourceProvider,
)
from table_common.exceptions import TableException
from table_common.types import RowType
from table_planner_spark.context import LoweringContext
from table_planner_spark.relation import SparkRelation
from table_planner_spark.scan.arrow_source import read_arrow
from table_planner_spark.scan.data_frame import read_data_frame
from table_planner_spark.scan.files import is_native, read_files
from table_planner_spark.scan.in_process import read_in_process
from table_planner_spark.session.adapters import adapter_of
from table_runtime.files import FileSplits
from table_runtime.sources import as_arrow_scan

_READERS: tuple[tuple[type, Callable[[Any, ResolvedSchema, str, LoweringContext], SparkRelation]], ...] = (
    (SparkFileScanProvider, read_data_frame),  # before FileScanProvider, its base class
    (FileScanProvider, read_files),
    (DataFrameScanProvider, read_data_frame),
    (ArrowScanProvider, read_arrow),
)
_AS_BATCHES = (SourceFunctionProvider, InputFormatProvider, SourceProvider)
"""Providers of rows and of offsets, read as record batches."""
_IN_MEMORY = "the files of 'memory://' are in the memory of one process, which Spark's workers do not see; use a path that they reach"


def read_provider(
    provider: object, schema: ResolvedSchema, where: str, context: LoweringContext, *, changes: bool = False
) -> SparkRelation:
    """Returns the rows of a provider; ``where`` names the table in messages. With ``changes``, the last column is the change's number.

    Raises:
        TableException: Spark cannot run the provider.
    """
    reason = why_unsupported(provider)
    if reason is not None:
        raise TableException(f"The planner 'spark' cannot read {where}: {reason}.")
    if isinstance(provider, _AS_BATCHES):
        row_type = schema.to_row_type()
        provider = as_arrow_scan(provider, RowType(row_type.fields[:-1], nullable=False) if changes else row_type, changes=changes)
    if (
        isinstance(provider, FileScanProvider)
        and not isinstance(provider, SparkFileScanProvider)
        and not is_native(provider, context.spark)
    ):
        name = where.removeprefix("the table '").removesuffix("'")
        provider = FileSplits(provider, name, adapter_of(context.spark).parallelism(context.spark))
    if changes:
        if not isinstance(provider, ArrowScanProvider):
            raise TableException(f"The planner 'spark' cannot read changes of {where} from the provider {type(provider).__name__}.")
        return read_arrow(provider, schema, where, context, changes=True)
    if isinstance(provider, InProcessScanProvider) and provider.data is not None and provider.data.row_type.fields:
        return read_in_process(provider.data, provider, schema, where, context)
    for kind, read in _READERS:
        if isinstance(provider, kind):
            return read(provider, schema, where, context)
    raise AssertionError(provider)


def why_unsupported(provider: object) -> str | None:
    """Returns None if Spark can read or write this provider, else the reason."""
    if isinstance(provider, (FileScanProvider, FileSinkProvider)):
        paths = provider.paths if isinstance(provider, FileScanProvider) else (provider.path,)
        return _IN_MEMORY if any(path.startswith("memory://") for path in paths) else None
    if isinstance(provider, ArrowScanProvider):
        reason = getattr(provider, "refusal", None)  # of a table whose rows end, but which is not bounded
        return None if provider.is_bounded else reason or "its data is unbounded, and this planner reads only bounded data"
    if isinstance(provider, (ArrowSinkProvider, DataFrameSinkProvider, DataFrameScanProvider)):
        return None
    if isinstance(provider, SourceFunctionProvider) and not provider.is_bounded:
        return "its rows are unbounded and cannot be read again, but Spark retries failed tasks; use a SourceProvider, which reads from offsets"
    if isinstance(provider, _AS_BATCHES):
        return None
    return f"it does not know the runtime provider {type(provider).__name__}"
