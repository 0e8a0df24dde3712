from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.types import DataTypes
from table_runtime.failure_reasons import failure_of


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 150000000 failed")])
def test_a_function_that_runs_out_of_memory_has_a_message_with_a_hint(error: BaseException) -> None:
    failure = failure_of("REPEAT", DataTypes.STRING(), error)
    assert str(failure).startswith("REPEAT ran out of memory.\nhint: Reduce the data that the query reads")
