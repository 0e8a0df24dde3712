"""Tables from data frames and data frames from tables: names, types, units of time, NULL and nested values."""

from decimal import Decimal

import pandas as pd
from pyflink.table import DataTypes
from pyflink.table.expressions import col


def run(t_env):
    frame = pd.DataFrame(
        {"a": [1, 2, 3], "b": ["Hi", None, "Hello"], "c": [1.5, 2.5, None], "d": pd.to_datetime(["2024-05-01 10:00:00.123456"] * 3)},
        index=[7, 8, 9],
    )
    plain = t_env.from_pandas(frame)
    named = t_env.from_pandas(frame[["a", "b"]], ["x", "y"], splits_num=2)
    typed = t_env.from_pandas(frame[["a", "c"]], [DataTypes.INT(), DataTypes.FLOAT()])
    rows = t_env.from_pandas(
        frame[["a", "b"]], DataTypes.ROW([DataTypes.FIELD("k", DataTypes.BIGINT()), DataTypes.FIELD("v", DataTypes.STRING())])
    )
    filtered = plain.filter(col("a") > 1).select(col("a") * 10, col("b")).to_pandas()
    return [
        plain.get_schema().get_field_names(),
        [str(kind) for kind in plain.select(col("a"), col("c")).get_schema().get_field_data_types()],
        named.get_schema().get_field_names(),
        [str(kind) for kind in typed.get_schema().get_field_data_types()],
        rows.filter(col("v").is_null).select(col("k")).to_pandas()["k"].tolist(),
        [list(filtered.columns)[1], filtered.iloc[:, 0].tolist(), filtered.iloc[:, 1].isna().tolist(), filtered.index.tolist()],
        [str(kind) for kind in plain.select(col("a"), col("c")).to_pandas().dtypes],
        plain.select(col("c")).to_pandas()["c"].isna().tolist(),
        units(t_env),
        values(t_env),
        len(t_env.sql_query("SELECT a FROM (VALUES (1)) AS v (a) WHERE a > 1").to_pandas()),
    ]


def units(t_env):
    """Returns the type of a column of TIMESTAMP for each group of precisions."""
    precisions = (0, 3, 6, 9)
    items = ", ".join(
        f"CAST(TIMESTAMP '2024-05-01 10:00:00.123456789' AS TIMESTAMP({precision})) AS p{precision}" for precision in precisions
    )
    frame = t_env.sql_query(f"SELECT {items}").to_pandas()
    return [[str(frame[f"p{precision}"].dtype), str(frame[f"p{precision}"][0])] for precision in precisions]


def values(t_env):
    """Returns the values of a row with other types."""
    frame = t_env.sql_query(
        "SELECT CAST(1.50 AS DECIMAL(5, 2)) AS d, DATE '2024-05-01' AS day_, TIME '10:00:01' AS time_, TRUE AS flag,"
        " CAST(NULL AS INT) AS nothing, ARRAY[1, 2] AS numbers, CAST(2 AS TINYINT) AS tiny"
    ).to_pandas()
    row = frame.iloc[0]
    return [
        row["d"] == Decimal("1.50"),
        str(row["day_"]),
        str(row["time_"]),
        bool(row["flag"]),
        bool(pd.isna(row["nothing"])),
        list(row["numbers"]),
        str(frame["tiny"].dtype),
    ]


EXPECTED = [
    ["a", "b", "c", "d"],
    ["BIGINT", "DOUBLE"],
    ["x", "y"],
    ["INT", "FLOAT"],
    [2],
    ["b", [20, 30], [True, False], [0, 1]],
    ["int64", "float64"],
    [False, False, True],
    [
        ["datetime64[s]", "2024-05-01 10:00:00"],
        ["datetime64[ms]", "2024-05-01 10:00:00.123000"],
        ["datetime64[us]", "2024-05-01 10:00:00.123456"],
        ["datetime64[ns]", "2024-05-01 10:00:00.123456789"],
    ],
    [True, "2024-05-01", "10:00:01", True, True, [1, 2], "int8"],
    0,
]
"""What PyFlink 2.3 returned."""
