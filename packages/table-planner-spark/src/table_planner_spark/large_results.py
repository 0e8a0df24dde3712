"""Collects results that are too large for the driver: the executors write them to files, which are read back batch by batch."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from table_common.exceptions import TableRuntimeException
from table_planner_spark.session.adapters import adapter_of

_BATCH_ROWS = 65_536


def collect_via_files(frame: DataFrame) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a DataFrame in order, holding one batch in memory; the files are removed at the end.

    Raises:
        TableRuntimeException: the executors are on other machines, which do not share a file system with this one.
    """
    spark = frame.sparkSession
    master = (spark.sparkContext.master or "") if adapter_of(spark).has_jvm else ""
    if not master.startswith("local"):
        raise TableRuntimeException(
            "The result is larger than spark.driver.maxResultSize.",
            hint="Raise that option, add a LIMIT, or INSERT the rows into a table.",
        )
    folder = Path(tempfile.mkdtemp(prefix="table-result-"))
    try:
        frame.write.mode("overwrite").parquet(folder.as_uri())
        for path in sorted(folder.glob("part-*")):
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(_BATCH_ROWS)
            path.unlink()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
