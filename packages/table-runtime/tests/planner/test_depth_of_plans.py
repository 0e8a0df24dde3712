"""Plans that are too deep for what reads and runs them."""

from __future__ import annotations

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import ValidationException


def test_a_plan_that_is_too_deep_is_refused() -> None:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        table = environment.sql_query("SELECT 1 AS x")
        for _ in range(2_001):
            table = table.limit(1).distinct()
        with pytest.raises(ValidationException, match="operations one above the other, but there may be 2,000"):
            table.explain()
