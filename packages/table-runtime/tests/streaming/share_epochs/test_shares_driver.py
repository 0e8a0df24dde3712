"""Jobs in shares whose engine fails."""

from __future__ import annotations

from typing import Any

import pytest
from test_epoch_loop import VALUES, driver_of


def test_a_query_whose_engine_fails_gives_the_error() -> None:
    rows: list[Any] = []
    driver = driver_of(f"SELECT k, SUM(v) AS s FROM {VALUES} GROUP BY k", rows, fails=1)
    with pytest.raises(OSError, match="the machine is gone"):
        driver.run_query()
    assert driver.tasks.epochs == [0, 1]
    assert not driver.is_unbounded
    assert not driver.is_writing
