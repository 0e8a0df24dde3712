"""Arrays of numpy that become arrays of Arrow without pandas; table-common does not need numpy, so its own tests have none."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_common.arrow import arrow_array, without_pandas


@pytest.fixture(autouse=True)
def _pandas_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(without_pandas, "_would_import_pandas", lambda: True)


def _outcome(values: np.ndarray, arrow_type: pa.DataType | None, *, by_arrow: bool) -> object:
    try:
        made = pa.array(values, arrow_type) if by_arrow else arrow_array(values, arrow_type)
    except (pa.ArrowException, TypeError, ValueError) as error:
        return type(error), str(error)
    return made.type, made.to_pylist()


@pytest.mark.parametrize("arrow_type", [None, pa.int64()])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8", "?", "M8[us]", "O", ">i4"])
def test_an_array_of_numpy_is_that_of_arrow(dtype: str, arrow_type: pa.DataType | None) -> None:
    values = np.array([0, 1, 1, 0]).astype(dtype)
    assert _outcome(values, arrow_type, by_arrow=False) == _outcome(values, arrow_type, by_arrow=True)


def test_truths_and_views_are_made_without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("pandas would be imported")

    monkeypatch.setattr(pa, "array", refuse)
    assert arrow_array(np.array([True, False, True])).to_pylist() == [True, False, True]
    assert arrow_array(np.arange(6)[::2]).to_pylist() == [0, 2, 4]
