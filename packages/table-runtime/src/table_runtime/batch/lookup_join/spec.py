"""The serializable description of a lookup join, sent to the tasks that run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pyarrow as pa

from table_common.arrow import to_arrow_schema
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.connector import (
    ArrowScanProvider,
    AsyncLookupFunctionProvider,
    FileScanProvider,
    FullCachingLookupProvider,
    LookupFunctionProvider,
    LookupTableSource,
)
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, references
from table_common.frozen_dataclass import dataclass, field
from table_common.types import RowType
from table_runtime.expressions import EvaluationContext, Evaluator


def lookup_refusal(provider: object) -> str | None:
    """Returns the reason why lookups through the provider are not supported, or None if they are."""
    if isinstance(provider, (LookupFunctionProvider, AsyncLookupFunctionProvider)):
        return None
    if isinstance(provider, FullCachingLookupProvider):
        scan = provider.scan_provider
        if not isinstance(scan, (ArrowScanProvider, FileScanProvider)):
            return f"a full cache can read Arrow data or files, but the source scans through a {type(scan).__name__}"
        return None if scan.is_bounded else "a full cache needs a bounded scan, but the source is unbounded"
    return f"lookups through a {type(provider).__name__} are not supported"


@dataclass(frozen=True, slots=True)
class LookupLimits:
    """Settings of a lookup join.

    ``capacity`` limits concurrent requests and ``timeout`` each of them; both apply to asynchronous functions only.

    With ``miss_attempts`` above 1, lookups without rows are repeated after ``miss_delay``.
    """

    capacity: int = 100
    timeout: timedelta = timedelta(minutes=3)
    miss_attempts: int = 1
    miss_delay: timedelta = timedelta()
    job_parameters: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, eq=False)
class LookupSpec:
    """A lookup join of left rows with the rows of ``table``.

    ``produced`` is the row type of the source. Its columns ``key_columns`` must equal ``keys``, which are evaluated on the left row.
    ``filters`` and ``projection`` are evaluated on the produced row (None: none). ``condition`` is evaluated on the left columns followed
    by the projected columns; it uses only the positions ``condition_columns``.
    """

    table: str
    provider: LookupTableSource.LookupRuntimeProvider
    left_schema: pa.Schema
    output_schema: pa.Schema
    produced: RowType
    key_columns: tuple[int, ...]
    keys: Evaluator
    keeps_left: bool
    filters: Evaluator | None = None
    projection: Evaluator | None = None
    condition: Evaluator | None = None
    condition_columns: frozenset[int] = frozenset()
    settings: LookupLimits = LookupLimits()

    @property
    def key_type(self) -> RowType:
        """The row type of the keys that lookup functions receive."""
        fields = [self.produced.fields[column] for column in self.key_columns]
        return RowType.of([(f.name, f.type.not_null()) for f in fields], nullable=False)

    @property
    def key_schema(self) -> pa.Schema:
        """The Arrow schema of the row of keys."""
        return to_arrow_schema(self.key_type)


def lookup_settings(
    configuration: ReadableConfig,
    *,
    capacity: int | None = None,
    timeout: timedelta | None = None,
    max_attempts: int | None = None,
    fixed_delay: timedelta | None = None,
) -> LookupLimits:
    """Returns the settings of a LOOKUP hint; arguments of None fall back to the session's options."""
    parameters = configuration.get("pipeline.global-job-parameters", "") or ""
    return LookupLimits(
        capacity if capacity is not None else configuration.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_LOOKUP_BUFFER_CAPACITY),
        timeout if timeout is not None else configuration.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_LOOKUP_TIMEOUT),
        max_attempts if max_attempts is not None else 1,
        fixed_delay if fixed_delay is not None else timedelta(),
        {key.strip(): value.strip() for key, _, value in (pair.partition(":") for pair in parameters.split(",") if pair.strip())},
    )


def lookup_spec(
    source: LookupTableSource,
    table: str,
    produced: RowType,
    keys: Sequence[tuple[int, ResolvedExpression]],
    left: RowType,
    output: RowType,
    *,
    keeps_left: bool,
    filters: Sequence[ResolvedExpression],
    projection: Sequence[ResolvedExpression],
    condition: Sequence[ResolvedExpression],
    settings: LookupLimits,
    evaluation: EvaluationContext,
) -> LookupSpec:
    """Returns the lookup join of ``left`` rows with a source; ``keys`` are pairs of a produced column and the expression that it equals.

    Raises:
        TableException: lookups through the source's provider are not supported.
    """
    key_columns = tuple(column for column, _ in keys)
    provider = source.get_lookup_runtime_provider(LookupTableSource.LookupContext(tuple((column,) for column in key_columns)))
    refusal = lookup_refusal(provider)
    if refusal is not None:
        raise TableException(f"Rows of {table} cannot be looked up: {refusal}.")
    widths = (len(left.fields), len(projection))
    used = frozenset(column + (widths[0] if side else 0) for side, column in references(condition))
    is_trivial = len(projection) == len(produced.fields) and all(
        isinstance(part, FieldReferenceExpression) and part.field_index == index for index, part in enumerate(projection)
    )
    return LookupSpec(
        table,
        provider,
        to_arrow_schema(left),
        to_arrow_schema(output),
        produced,
        key_columns,
        Evaluator([value for _, value in keys], evaluation),
        keeps_left,
        Evaluator(filters, evaluation) if filters else None,
        None if is_trivial else Evaluator(projection, evaluation),
        Evaluator(condition, evaluation, input_widths=widths) if condition else None,
        used,
        settings,
    )
