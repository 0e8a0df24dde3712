"""What the failure of an epoch's Spark job was."""

from __future__ import annotations

import pytest

from table_planner_spark.streaming.failures import missing_package


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  File \"worker.py\"\nModuleNotFoundError: No module named 'table_runtime'", "table-runtime"),
        ("ModuleNotFoundError: No module named 'pyarrow.lib'", "pyarrow"),
        ("ModuleNotFoundError: No module named 'typing_extensions'", "typing-extensions"),
        ("ModuleNotFoundError: No module named 'of_the_user'", None),
        ("IOException: Stream closed", None),
    ],
)
def test_a_package_that_tasks_need_and_a_worker_lacks_is_found(text: str, expected: str | None) -> None:
    assert missing_package(text) == expected
