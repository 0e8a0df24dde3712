"""What errors of Python are called in messages."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.types import DataTypes
from table_runtime.failure_reasons import failure_of, reason_of


def test_half_of_a_surrogate_pair_is_named() -> None:
    with pytest.raises(UnicodeEncodeError) as caught:
        "a\ud800".encode()
    assert reason_of(caught.value) == r"the text has half of a surrogate pair, '\ud800', which is not a character."


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 150000000 failed")])
def test_a_function_that_runs_out_of_memory_has_a_message_with_a_hint(error: BaseException) -> None:
    failure = failure_of("REPEAT", DataTypes.STRING(), error)
    assert str(failure).startswith("REPEAT ran out of memory.\nhint: Reduce the data that the query reads")
