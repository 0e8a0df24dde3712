"""Functions that workers import."""

from __future__ import annotations

import time

from table_api.udf import udf

__all__ = ["divided", "slow"]


@udf(result_type="BIGINT")
def divided(value: int) -> int:
    """Fails for 0."""
    return 100 // value


@udf(result_type="BIGINT")
def slow(value: int) -> int:
    """Takes a minute for a value above 0."""
    time.sleep(60 if value else 0)
    return value
