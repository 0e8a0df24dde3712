"""Changelogs as DataFrames, in batch mode: a column has the kind of each change."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import MapType, StringType

from table_common.exceptions import TableException, ValidationException

ROW_KIND = "row_kind"
"""The default name of the column with the kind of a change."""
_ADDS, _REMOVES = ("+I", "+U"), ("-U", "-D")
_COUNT = "__count"


def rows_after_changes(changes: DataFrame, row_kind: str) -> DataFrame:
    """Returns the rows that remain after all changes, which may be in any order: each row as often as it was added more than removed.

    Raises:
        ValidationException: the DataFrame has no such column, or it is not text.
        TableException: a column is a map, which Spark cannot compare.
    """
    kinds = [one for one in changes.schema if one.name == row_kind]
    if len(kinds) != 1 or not isinstance(kinds[0].dataType, StringType):
        raise ValidationException(
            f"A changelog needs one STRING column '{row_kind}' with the kind of each change; the DataFrame has {changes.dtypes}.",
            hint="name the column: from_changelog_data_frame(data_frame, row_kind='…'). Its values are +I, -U, +U and -D",
        )
    names = [name for name in changes.columns if name != row_kind]
    maps = [one.name for one in changes.schema if isinstance(one.dataType, MapType)]
    if maps:
        raise TableException(
            f"A changelog cannot have the map {', '.join(maps)}: Spark does not compare maps.", hint="convert it to an array"
        )
    kind = _column(row_kind)
    wrong = functions.raise_error(
        functions.concat(
            functions.lit(f"'{row_kind}' has one of +I, -U, +U and -D, but a row has "), functions.coalesce(kind, functions.lit("NULL"))
        )
    )
    sign = functions.when(kind.isin(*_ADDS), 1).when(kind.isin(*_REMOVES), -1).otherwise(wrong.cast("int"))
    counted = changes.groupBy(*map(_column, names)).agg(functions.sum(sign).cast("int").alias(_COUNT))
    copies = functions.explode(functions.array_repeat(functions.lit(1), _column(_COUNT)))  # a negative count gives no rows
    return counted.select(*map(_column, names), copies.alias(_COUNT)).drop(_COUNT)


def with_row_kind(rows: DataFrame, row_kind: str) -> DataFrame:
    """Returns the rows of a batch query as a changelog: each is an insertion.

    Raises:
        ValidationException: there is a column of that name.
    """
    if row_kind in rows.columns:
        raise ValidationException(
            f"The table has a column '{row_kind}' already.", hint="choose another name: to_changelog_data_frame(table, row_kind='…')"
        )
    return rows.select(functions.lit(_ADDS[0]).alias(row_kind), *map(_column, rows.columns))


def _column(name: str) -> Column:
    return functions.col("`" + name.replace("`", "``") + "`")
