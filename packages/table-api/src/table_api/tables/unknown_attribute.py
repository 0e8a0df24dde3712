"""The error for an attribute that a table does not have: similar names, and the counterparts of methods of Spark and pandas."""

from __future__ import annotations

from collections.abc import Iterable

from table_api.migrate.refused_calls import refusal_of
from table_common.exceptions import closest

_COUNTERPARTS = {
    "agg": "group_by(col('a')).select(col('a'), col('b').sum)",
    "collect": "execute().collect()",
    "createOrReplaceTempView": "env.create_temporary_view('name', table)",
    "drop": "drop_columns(col('a'))",
    "dropDuplicates": "distinct()",
    "drop_duplicates": "distinct()",
    "dtypes": "get_resolved_schema()",
    "groupBy": "group_by(col('a'))",
    "groupby": "group_by(col('a'))",
    "merge": "join(other, col('a') == col('b'))",
    "orderBy": "order_by(col('a').desc)",
    "printSchema": "print_schema()",
    "schema": "get_resolved_schema()",
    "show": "execute().print()",
    "sort": "order_by(col('a').desc)",
    "sort_values": "order_by(col('a').desc)",
    "toPandas": "to_pandas()",
    "unionAll": "union_all(other)",
    "withColumn": "add_or_replace_columns((col('a') + 1).alias('b'))",
    "withColumnRenamed": "rename_columns(col('a').alias('b'))",
    "with_columns": "add_or_replace_columns((col('a') + 1).alias('b'))",
    "write": "execute_insert('table')",
}


def unknown_attribute(name: str, columns: Iterable[str], methods: Iterable[str]) -> AttributeError:
    """Returns the error for ``table.name``; it suggests a counterpart, or the most similar columns and methods.

    Example:
        >>> print(unknown_attribute("show", ["id"], []))
        A Table has no attribute or column 'show'. Write execute().print().
        >>> print(unknown_attribute("prize", ["id", "price"], []))
        A Table has no attribute or column 'prize'. Did you mean 'price'?
    """
    message = f"A Table has no attribute or column '{name}'"
    if name.startswith("_"):  # a protocol that a library looks for
        return AttributeError(message)
    if name in _COUNTERPARTS:
        return AttributeError(f"{message}. Write {_COUNTERPARTS[name]}.")
    why = refusal_of(name)
    if why is not None:
        return AttributeError(f"{message}: {why}.")
    similar = closest(name, [*columns, *methods], limit=1)
    return AttributeError(f"{message}. Did you mean '{similar[0]}'?" if similar else message)
