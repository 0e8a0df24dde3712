from __future__ import annotations

from typing import Any, cast

import pytest

from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import IntType, RowType
from table_planner_spark.sink.files import FileWrite
from table_runtime.files import FileChanges


def test_a_path_elsewhere_is_refused_before_anything_is_written() -> None:
    frame = cast("Any", None)
    provider = FileSinkProvider("s3://bucket/t", "parquet", RowType.of([("a", IntType())], nullable=False))
    with pytest.raises(
        TableRuntimeException, match=r"cannot write to 's3://bucket/t': it commits files atomically only on local file systems"
    ):
        FileWrite(provider, frame).run(frame, FileChanges("job"), "job-0", lambda: None)
