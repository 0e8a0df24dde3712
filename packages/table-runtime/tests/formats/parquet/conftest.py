"""Each test reads its files twice: as small files, and as the large ones that Arrow's datasets read."""

from __future__ import annotations

import pytest

from table_runtime.formats.parquet import small_files


@pytest.fixture(autouse=True, params=["small", "large"])
def file_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Says as what files are read."""
    size: str = request.param
    if size == "large":
        monkeypatch.setattr(small_files, "MOST_BYTES", -1)
    return size
