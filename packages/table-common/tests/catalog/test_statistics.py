from __future__ import annotations

import pytest

from table_common.catalog import (
    CatalogColumnStatistics,
    CatalogColumnStatisticsDataBoolean,
    CatalogColumnStatisticsDataLong,
    CatalogTableStatistics,
)


def test_statistics_of_other_columns_stay() -> None:
    known = CatalogColumnStatistics({"a": CatalogColumnStatisticsDataLong(0, 1, 2, 2), "b": CatalogColumnStatisticsDataLong(0)})
    updated = known.updated(CatalogColumnStatistics({"b": CatalogColumnStatisticsDataLong(3)}))
    assert {name: data.null_count for name, data in updated.column_statistics_data.items()} == {"a": 0, "b": 3}


@pytest.mark.parametrize(("true", "false", "distinct"), [(2, 1, 2), (2, 0, 1), (0, 0, 0), (None, None, None)])
def test_boolean_has_as_many_values_as_occur(true: int | None, false: int | None, distinct: int | None) -> None:
    assert CatalogColumnStatisticsDataBoolean(0, true, false).distinct_count == distinct


def test_getters_return_flinks_number_for_what_is_not_known() -> None:
    statistics = CatalogTableStatistics(file_count=0)
    found = statistics.get_row_count(), statistics.get_field_count(), statistics.get_total_size(), statistics.get_raw_data_size()
    assert found == (-1, 0, -1, -1)
