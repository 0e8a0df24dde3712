"""The description of a lookup join, and the providers that it supports."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import Configuration
from table_common.connector import (
    ArrowScanProvider,
    AsyncLookupFunction,
    AsyncLookupFunctionProvider,
    FileScanProvider,
    FullCachingLookupProvider,
    LookupFunction,
    LookupFunctionProvider,
    LookupTableSource,
    SupportsArrowArray,
)
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, IntType, RowType, VarCharType
from table_runtime.batch.lookup_join.spec import LookupLimits, LookupSpec, lookup_refusal, lookup_settings, lookup_spec
from table_runtime.expressions import EvaluationContext

LEFT = RowType.of([("k", BigIntType()), ("v", VarCharType())], nullable=False)
PRODUCED = RowType.of([("id", BigIntType()), ("name", VarCharType()), ("age", IntType())], nullable=False)
KEY = FieldReferenceExpression("k", BigIntType(), 0, 0)
COLUMNS = tuple(FieldReferenceExpression(f.name, f.type, 0, i) for i, f in enumerate(PRODUCED.fields))


class Scan(ArrowScanProvider):
    def __init__(self, *, is_bounded: bool = True) -> None:
        self._is_bounded = is_bounded

    @property
    def is_bounded(self) -> bool:
        return self._is_bounded

    def splits(self) -> Sequence[Any]:
        return [0]

    def read(self, split: Any) -> Iterator[SupportsArrowArray]:
        return iter(())


class Source(LookupTableSource):
    def __init__(self, provider: LookupTableSource.LookupRuntimeProvider) -> None:
        self.provider = provider
        self.key_positions: tuple[int, ...] = ()

    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        self.key_positions = context.key_positions
        return self.provider

    def copy(self) -> Source:
        return self

    def as_summary_string(self) -> str:
        return "source"


def spec(source: Source | None = None, **options: Any) -> LookupSpec:
    arguments: dict[str, Any] = {
        "keeps_left": False,
        "filters": (),
        "projection": COLUMNS,
        "condition": (),
        "settings": LookupLimits(),
        "evaluation": EvaluationContext(),
        "keys": [(0, KEY)],
    } | options
    provider = source or Source(LookupFunctionProvider(LookupFunction()))
    keys = arguments.pop("keys")
    return lookup_spec(provider, "table dim", PRODUCED, keys, LEFT, RowType((*LEFT.fields, *PRODUCED.fields)), **arguments)


def greater(left: ResolvedExpression, right: ResolvedExpression) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME["GREATER_THAN"], (left, right), BooleanType())


@pytest.mark.parametrize(
    "provider",
    [
        LookupFunctionProvider(LookupFunction()),
        AsyncLookupFunctionProvider(AsyncLookupFunction()),
        FullCachingLookupProvider(Scan()),
        FullCachingLookupProvider(FileScanProvider(("/none",), "csv", PRODUCED, PRODUCED)),
    ],
    ids=lambda provider: type(provider).__name__,
)
def test_functions_and_full_caches_are_supported(provider: object) -> None:
    assert lookup_refusal(provider) is None


def test_a_full_cache_of_an_unbounded_scan_is_refused() -> None:
    assert (
        lookup_refusal(FullCachingLookupProvider(Scan(is_bounded=False)))
        == "a full cache needs a bounded scan, but the source is unbounded"
    )


def test_a_full_cache_of_another_scan_is_refused() -> None:
    provider: Any = FullCachingLookupProvider(object())  # type: ignore[arg-type]  # that is the point
    assert lookup_refusal(provider) == "a full cache can read Arrow data or files, but the source scans through a object"


def test_another_provider_is_refused() -> None:
    assert lookup_refusal("text") == "lookups through a str are not supported"


def test_the_error_of_a_refused_provider_has_the_name_of_the_table() -> None:
    with pytest.raises(TableException, match=r"Rows of table dim cannot be looked up: a full cache needs a bounded scan"):
        spec(Source(FullCachingLookupProvider(Scan(is_bounded=False))))


def test_the_source_receives_the_positions_of_the_keys() -> None:
    source = Source(LookupFunctionProvider(LookupFunction()))
    spec(source, keys=[(2, KEY), (0, KEY)])
    assert source.key_positions == (2, 0)


def test_the_keys_of_functions_have_the_columns_of_the_table_and_are_never_null() -> None:
    assert spec(keys=[(1, FieldReferenceExpression("v", VarCharType(), 0, 1)), (0, KEY)]).key_type == RowType.of(
        [("name", VarCharType(nullable=False)), ("id", BigIntType(nullable=False))], nullable=False
    )


def test_the_arrow_schema_of_the_keys_is_that_of_their_type() -> None:
    assert spec().key_schema == pa.schema([pa.field("id", pa.int64(), nullable=False)])


def test_all_columns_in_their_order_need_no_projection() -> None:
    assert spec(projection=COLUMNS).projection is None


@pytest.mark.parametrize("projection", [COLUMNS[:2], COLUMNS[::-1], (*COLUMNS[:2], KEY)], ids=["fewer", "reordered", "repeated"])
def test_other_columns_need_a_projection(projection: tuple[ResolvedExpression, ...]) -> None:
    projected = spec(projection=projection).projection
    assert projected is not None
    assert projected.expressions == projection


def test_filters_are_evaluated_on_produced_rows() -> None:
    filters = (greater(COLUMNS[2], ValueLiteralExpression(3, IntType(nullable=False))),)
    evaluator = spec(filters=filters).filters
    assert evaluator is not None
    assert evaluator.expressions == filters


def test_no_filters_and_no_condition_need_no_evaluators() -> None:
    assert (spec().filters, spec().condition) == (None, None)


def test_a_condition_uses_columns_of_the_left_row_and_of_the_projected_row() -> None:
    name = FieldReferenceExpression("name", VarCharType(), 1, 1)
    assert spec(condition=(greater(FieldReferenceExpression("v", VarCharType(), 0, 1), name),)).condition_columns == {1, 3}


def test_a_specification_can_be_pickled() -> None:
    copied = pickle.loads(pickle.dumps(spec(keys=[(2, KEY)])))
    assert (copied.key_columns, copied.produced, copied.table) == ((2,), PRODUCED, "table dim")


def test_the_settings_of_a_hint_come_before_the_options_of_the_session() -> None:
    session = Configuration({"table.exec.async-lookup.buffer-capacity": "7", "table.exec.async-lookup.timeout": "9 s"})
    settings = lookup_settings(session, capacity=3, timeout=timedelta(seconds=1), max_attempts=4, fixed_delay=timedelta(seconds=2))
    assert settings == LookupLimits(3, timedelta(seconds=1), 4, timedelta(seconds=2))


def test_without_a_hint_the_options_of_the_session_apply() -> None:
    session = Configuration({"table.exec.async-lookup.buffer-capacity": "7", "table.exec.async-lookup.timeout": "9 s"})
    assert lookup_settings(session) == LookupLimits(7, timedelta(seconds=9))


def test_a_delay_of_zero_in_a_hint_is_no_missing_delay() -> None:
    assert lookup_settings(Configuration(), timeout=timedelta()).timeout == timedelta()


def test_the_parameters_of_the_job_are_pairs() -> None:
    session = Configuration({"pipeline.global-job-parameters": " a : 1, b:x:y ,, c"})
    assert lookup_settings(session).job_parameters == {"a": "1", "b": "x:y", "c": ""}
