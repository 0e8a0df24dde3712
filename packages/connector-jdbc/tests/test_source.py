"""Push-downs: the query that PostgreSQL gets, and the rows that it returns."""

from __future__ import annotations

from typing import Any

import pytest
from postgres_server import new_table, run, server_url

from connector_jdbc import JdbcTableFactory
from table_common.connector import LookupTableSource
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import replace
from table_common.types import RowType
from table_testing import ConnectorCase


class Case(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING, amount DOUBLE"


def source_of() -> Any:
    table = new_table("id int4, name text, amount float8", [(1, "one", 1.5), (2, None, None)])
    run(f"ANALYZE {table}")
    return Case().source({"url": server_url(), "table-name": table})


def test_the_summary_is_the_query() -> None:
    source = source_of()
    source.apply_projection([(1,)], RowType(Case().row_type.fields[1:2], nullable=False))
    source.apply_limit(1)
    assert source.as_summary_string().startswith('jdbc(SELECT "name" FROM "s')
    assert source.as_summary_string().endswith('."tested" LIMIT 1)')


def test_a_scan_without_columns_counts_rows() -> None:
    source = source_of()
    source.apply_projection([], RowType((), nullable=False))
    provider = source.get_scan_runtime_provider(None)
    assert sum(batch.num_rows for batch in provider.read(provider.splits()[0])) == 2


def test_statistics_are_those_of_analyze() -> None:
    assert source_of().report_statistics().row_count == 2


def test_a_lookup_by_floating_point_numbers_is_refused() -> None:
    with pytest.raises(ValidationException, match="cannot be looked up by column 'amount', which is DOUBLE") as caught:
        source_of().get_lookup_runtime_provider(LookupTableSource.LookupContext(((2,),)))
    assert "'lookup.cache' = 'FULL'" in (caught.value.hint or "")


def test_texts_of_a_collation_that_ignores_case_are_grouped_by_the_engine() -> None:
    source = source_of()
    table = source.query.table
    column = replace(table.columns["name"], is_deterministic=False)
    source.query = replace(source.query, table=replace(table, columns={**table.columns, "name": column}))
    key = RowType(Case().row_type.fields[1:2], nullable=False)
    assert not source.apply_aggregates([(1,)], [], key)
    assert source_of().apply_aggregates([(1,)], [], key)
