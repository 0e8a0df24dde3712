"""The 22 questions over the table of db-benchmark, in Flink's dialect and in DuckDB's, and the file with its rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["COLUMNS", "QUESTIONS", "Question", "write_rows"]

COLUMNS = "id1 STRING, id2 STRING, id3 STRING, id4 BIGINT, id5 BIGINT, id6 BIGINT, v1 BIGINT, v2 BIGINT, v3 DOUBLE"
_FLOAT = "AVG(CAST({} AS DOUBLE))"
"""The average of whole numbers is a whole number in Flink."""


@dataclass(frozen=True)
class Question:
    """A query in Flink's dialect over the table ``x``."""

    name: str
    text: str
    duckdb: str | None = None
    """The same for DuckDB; None: the text itself."""


_SQUARED = """SELECT id2, id4, POWER(n * xy - sx * sy, 2) / ((n * xx - sx * sx) * (n * yy - sy * sy)) AS r2 FROM (
    SELECT id2, id4, CAST(COUNT(*) AS DOUBLE) AS n, CAST(SUM(v1) AS DOUBLE) AS sx, CAST(SUM(v2) AS DOUBLE) AS sy, CAST(SUM(v1 * v2) AS DOUBLE) AS xy,
        CAST(SUM(v1 * v1) AS DOUBLE) AS xx, CAST(SUM(v2 * v2) AS DOUBLE) AS yy FROM x GROUP BY id2, id4) AS sums
WHERE (n * xx - sx * sx) * (n * yy - sy * sy) <> 0"""

QUESTIONS = (
    Question("sum by id1", "SELECT id1, SUM(v1) FROM x GROUP BY id1"),
    Question("sum by id1, id2", "SELECT id1, id2, SUM(v1) FROM x GROUP BY id1, id2"),
    Question("sum, mean by id3", "SELECT id3, SUM(v1), AVG(v3) FROM x GROUP BY id3"),
    Question("means by id4", f"SELECT id4, {_FLOAT.format('v1')}, {_FLOAT.format('v2')}, AVG(v3) FROM x GROUP BY id4"),
    Question("sums by id6", "SELECT id6, SUM(v1), SUM(v2), SUM(v3) FROM x GROUP BY id6"),
    Question(
        "median, deviation",
        "SELECT id4, id5, PERCENTILE(v3, 0.5), STDDEV_SAMP(v3) FROM x GROUP BY id4, id5",
        "SELECT id4, id5, median(v3), stddev_samp(v3) FROM x GROUP BY id4, id5",
    ),
    Question("max - min by id3", "SELECT id3, MAX(v1) - MIN(v2) FROM x GROUP BY id3"),
    Question(
        "two largest by id6",
        "SELECT id6, v3 FROM (SELECT id6, v3, ROW_NUMBER() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS n FROM x) AS ranked WHERE n <= 2",
    ),
    Question("regression", _SQUARED),
    Question("sum by id1..id6", "SELECT id1, id2, id3, id4, id5, id6, SUM(v3), COUNT(*) FROM x GROUP BY id1, id2, id3, id4, id5, id6"),
    Question("distinct id6", "SELECT COUNT(DISTINCT id6) FROM x"),
    Question("LIKE", "SELECT COUNT(*) FROM x WHERE id3 LIKE '%99%'"),
    Question("distinct id3 by id1", "SELECT id1, COUNT(DISTINCT id3) FROM x GROUP BY id1"),
    Question("top ten rows", "SELECT * FROM x ORDER BY v3 LIMIT 10"),
    Question("top ten groups", "SELECT id3, COUNT(*) AS n FROM x GROUP BY id3 ORDER BY n DESC, id3 LIMIT 10"),
    Question("CHAR_LENGTH", "SELECT SUM(CHAR_LENGTH(id3)) FROM x"),
    Question("filtered groups", "SELECT v1, v2, MIN(id3), MAX(v3), COUNT(*) FROM x WHERE id4 > 50 AND v3 < 70 GROUP BY v1, v2"),
    Question("five sums", "SELECT SUM(v1 + 1), SUM(v1 + 2), SUM(v1 + 3), SUM(v1 + 4), SUM(v1 + 5) FROM x"),
    Question("SUBSTRING groups", "SELECT SUBSTRING(id3 FROM 5 FOR 4) AS part, AVG(v3) FROM x GROUP BY SUBSTRING(id3 FROM 5 FOR 4)"),
    Question(
        "running sum", "SELECT COUNT(*) FROM (SELECT SUM(v3) OVER (PARTITION BY id4 ORDER BY id6) AS total FROM x) AS sums WHERE total > 50"
    ),
    Question(
        "maximum of the group",
        "SELECT x.id1, x.id6, x.v3 FROM x JOIN (SELECT id6, MAX(v3) AS most FROM x GROUP BY id6) AS m ON x.id6 = m.id6 AND x.v3 = m.most",
    ),
    Question("CAST AS DECIMAL", "SELECT COUNT(*) FROM x WHERE CAST(v3 AS DECIMAL(10, 2)) > 50.00"),
)


def write_rows(path: Path, rows: int, seed: int) -> None:
    """Writes the table of db-benchmark as one Parquet file: 100 values of ``id1``, ``id2``, ``id4``, ``id5``; rows/100 of ``id3``, ``id6``."""
    random = np.random.default_rng(seed)
    many = max(rows // 100, 1)
    temporary = path.with_suffix(".unfinished")
    with pq.ParquetWriter(temporary, _batch(random, 1, many).schema) as writer:
        for start in range(0, rows, 1_000_000):
            writer.write_batch(_batch(random, min(1_000_000, rows - start), many))
    temporary.replace(path)


def _batch(random: np.random.Generator, rows: int, many: int) -> pa.RecordBatch:
    def texts(distinct: int, digits: int) -> pa.Array:
        values = pa.array([f"id{number:0{digits}}" for number in range(1, distinct + 1)])
        return values.take(pa.array(random.integers(0, distinct, rows)))

    def numbers(distinct: int) -> pa.Array:
        return pa.array(random.integers(1, distinct + 1, rows))

    columns = [texts(100, 3), texts(100, 3), texts(many, 10), numbers(100), numbers(100), numbers(many), numbers(5), numbers(15)]
    names = [definition.split()[0] for definition in COLUMNS.split(", ")]
    return pa.RecordBatch.from_arrays([*columns, pa.array(np.round(random.random(rows) * 100, 6))], names=names)
