from __future__ import annotations

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.configuration import Configuration


@pytest.fixture
def env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_batch_mode())


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("WITH w AS (SELECT 1 AS width) SELECT wid| FROM w", ["width"]),
        ("SELECT d.| FROM (SELECT 1 AS a) AS d", ["a"]),
        ("SET 'table.exec.time|", ["table.exec.timeout"]),
        ("SET 'execution.runtime-mode' = '|", ["batch", "streaming"]),
        ("SET 'nonsense' = '|", []),
        ("WITH w AS (SELECT nope) SELECT w.| FROM w", []),
    ],
)
def test_names_of_queries_and_options_are_offered(env: TableEnvironment, marked: str, expected: list[str]) -> None:
    assert env.get_completion_hints(marked.replace("|", ""), marked.index("|")) == expected


def test_a_session_that_restricts_paths_offers_none() -> None:
    configuration = Configuration({"table.security.allowed-paths": "/nowhere"})
    env = TableEnvironment.create(EnvironmentSettings.new_instance().with_configuration(configuration).build())
    assert env.get_completion_hints("SELECT * FROM '/", 16) == []
