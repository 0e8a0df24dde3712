"""Expressions of the Table API: ``from table_api.expressions import col, lit``."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .api: CURRENT_RANGE CURRENT_ROW UNBOUNDED_RANGE UNBOUNDED_ROW and_ array atan2 call call_sql coalesce col concat concat_ws
        current_database descriptor e if_then_else json json_array json_array_agg json_object json_object_agg json_string lit log map_
        negative not_ null_of or_ pi rand rand_integer range_ row row_interval uuid with_all_columns with_columns without_columns
    .expression: Expression
    .symbols: JsonExistsOnError JsonOnNull JsonQueryOnEmptyOrError JsonQueryWrapper JsonType JsonValueOnEmptyOrError TimeIntervalUnit
        TimePointUnit
    .temporal_functions: convert_tz current_date current_time current_timestamp current_watermark date_format from_unixtime local_time
        local_timestamp source_watermark temporal_overlaps timestamp_diff to_date to_timestamp to_timestamp_ltz unix_timestamp
    """,
)
