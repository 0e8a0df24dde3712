"""Round trips of values: Python → RowData → Arrow, and Python → Spark → DataFrame → Arrow → RowData → Python."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from table_api import Configuration, DataTypes
from table_api_bridge import SparkTableEnvironment
from table_common.arrow import from_row_data, to_row_data
from table_common.data import DataStructureConverter, RuntimeConverter
from table_common.types import DataType, RowType, parse_logical_type
from table_testing.rounds import NIGHT
from table_testing.value_strategies import values_of

TYPES = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(5, 2)",
    "DECIMAL(38, 10)",
    "CHAR(3)",
    "VARCHAR(10)",
    "STRING",
    "BINARY(2)",
    "BYTES",
    "DATE",
    "TIME(0)",
    "TIME(6)",
    "TIMESTAMP(0)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9)",
    "TIMESTAMP_LTZ(3)",
    "TIMESTAMP_LTZ(9)",
    "INTERVAL YEAR(4) TO MONTH",
    "INTERVAL DAY(6) TO SECOND(3)",
    "ARRAY<INT>",
    "ARRAY<DECIMAL(10, 2)>",
    "ARRAY<ARRAY<STRING>>",
    "MAP<STRING, BIGINT>",
    "MAP<INT, ARRAY<TIMESTAMP(3)>>",
    "ROW<a INT, b STRING, c ROW<d DATE, e TIMESTAMP(9)>>",
]
ROW_TYPE = RowType.of([(f"c{i}", parse_logical_type(text)) for i, text in enumerate(TYPES)], nullable=False)


@pytest.fixture(scope="module")
def env(spark: Any) -> Any:
    with SparkTableEnvironment.create(spark, Configuration({"table.local-time-zone": "UTC"})) as environment:
        yield environment


def test_values_survive_a_round_trip_through_spark(env: Any, size: int, request: pytest.FixtureRequest) -> None:
    converter = DataStructureConverter(DataType(ROW_TYPE).bridged_to(tuple))
    converter.open(RuntimeConverter.Context.empty())
    schema = DataTypes.ROW([DataTypes.FIELD(f.name, DataType(f.type)) for f in ROW_TYPE.fields])

    @seed(request.getfixturevalue("seed"))
    @settings(
        max_examples=(8 if NIGHT else 3) * size,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate],
    )
    @given(st.lists(st.tuples(*(values_of(t) for t in ROW_TYPE.field_types)), min_size=1, max_size=5))
    def round_trip(rows: list[tuple[Any, ...]]) -> None:
        expected = from_row_data([converter.to_internal(row) for row in rows], ROW_TYPE)
        frame = env.to_data_frame(env.from_elements(rows, schema))
        returned = env.from_data_frame(frame, ROW_TYPE).to_arrow()
        batches = returned.combine_chunks().to_batches()
        assert returned.schema.equals(expected.schema, check_metadata=True)
        assert pa.Table.from_batches(batches).equals(pa.Table.from_batches([expected]))
        assert [converter.to_external(row) for row in to_row_data(batches, ROW_TYPE)] == rows

    round_trip()
