"""The query that summarises a table: a row per column."""

from __future__ import annotations

from table_api import Table
from table_common.types import BooleanType, CharacterType, DateType, LocalZonedTimestampType, TimestampType, TimeType
from table_common.types.logical import NUMERICS

__all__ = ["summary_query"]

_ORDERED = (BooleanType, CharacterType, DateType, LocalZonedTimestampType, TimestampType, TimeType, *NUMERICS)


def summary_query(table: Table, source: str) -> str:
    """Returns a query whose rows are the columns of ``table``, the result of the query ``source``."""
    parts = []
    for column in table.get_resolved_schema().columns:
        name = "`" + column.name.replace("`", "``") + "`"
        label, kind = (text.replace("'", "''") for text in (column.name, str(column.data_type.with_nullability(True))))
        ordered = isinstance(column.data_type, _ORDERED)
        least, greatest = (f"CAST({function}({name}) AS STRING)" if ordered else "CAST(NULL AS STRING)" for function in ("MIN", "MAX"))
        mean = f"AVG(CAST({name} AS DOUBLE))" if isinstance(column.data_type, NUMERICS) else "CAST(NULL AS DOUBLE)"
        distinct = f"COUNT(DISTINCT {name})" if ordered else "CAST(NULL AS BIGINT)"
        parts.append(
            f"SELECT CAST('{label}' AS STRING) AS `column`, CAST('{kind}' AS STRING) AS `type`, {least} AS `min`, {greatest} AS `max`, "
            f"{mean} AS `avg`, {distinct} AS `distinct`, COUNT(*) - COUNT({name}) AS `nulls`, COUNT(*) AS `rows` FROM ({source})"
        )
    return " UNION ALL ".join(parts)
