"""Aggregate functions over changelogs: state by slot, advanced by the rows of a batch."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .bitmaps: BitmapState
    .counted_extremes: CountedExtremeState
    .counted_values: CollectState
    .exact_moments: ExactMomentsState
    .extremes: ExtremeState
    .first_last: FirstLastState
    .kept_rows: KeptRowsState
    .moments: MomentsState
    .percentiles: PercentileState
    .texts: JsonArrayState JsonObjectState ListAggState
    .user_accumulators: UserAccumulatorState
    .value_bags: ArrayState EndState SingleValueState
    """,
)
