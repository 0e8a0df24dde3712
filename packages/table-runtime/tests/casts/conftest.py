"""Casts values of one type to another, without the checks of CAST: what does not fit is NULL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.evaluation_context import EvaluationContext

Apply = Callable[..., list[Any]]


@pytest.fixture
def apply() -> Apply:
    """Calls a cast function on a column; temporal results as integers of their unit."""

    def run(function: Any, source: str, target: str, values: Sequence[Any], **settings: Any) -> list[Any]:
        source_type, target_type = parse_logical_type(source), parse_logical_type(target)
        arrow_type = to_arrow_type(source_type)
        numbers = pa.types.is_temporal(arrow_type)
        column = (
            pa.array(values, pa.int32() if numbers and arrow_type.bit_width == 32 else pa.int64()).cast(arrow_type)
            if numbers
            else pa.array(values, arrow_type)
        )
        result = function(column, source_type, target_type, EvaluationContext(**settings))
        assert result.type.equals(to_arrow_type(target_type))
        if pa.types.is_temporal(result.type):
            result = result.cast(pa.int32() if result.type.bit_width == 32 else pa.int64())
        return list(result.to_pylist())

    return run
