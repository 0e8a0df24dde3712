"""What both connectors make of the options of a table."""

from __future__ import annotations

from typing import Any

import pytest
from kafka_tables import case_of

from table_common.exceptions import ValidationException
from table_testing import ConnectorCase

CASES = {"kafka": case_of("id BIGINT NOT NULL, name STRING"), "upsert-kafka": case_of("id BIGINT NOT NULL, name STRING", ("id",))}
OPTIONS = {"topic": "orders", "properties.bootstrap.servers": "127.0.0.1:1", "key.format": "json", "value.format": "json"}


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> ConnectorCase:
    return CASES[request.param]


def options_for(case: ConnectorCase, **more: str) -> dict[str, str]:
    return {**OPTIONS, **({} if case.primary_key else {"key.fields": "id"}), **more}


def test_sources_and_sinks_know_their_connector(case: ConnectorCase) -> None:
    source, sink = case.source(options_for(case)), case.sink(options_for(case))
    made: tuple[Any, Any] = (source, sink)
    assert [one.is_upsert for one in made] == [bool(case.primary_key)] * 2


def test_formats_are_checked_before_columns(case: ConnectorCase) -> None:
    with pytest.raises(ValidationException, match="'jsn'"):
        case.source(options_for(case, **{"value.format": "jsn", "value.fields-include": "none"}))
