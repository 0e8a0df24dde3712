"""The settings that options become."""

from __future__ import annotations

import pytest

from connector_kafka.modes import Mode
from connector_kafka.settings import bounded_mode, startup_mode, topics_of
from connector_kafka.topics import Topics
from table_common.configuration import ReadableConfig
from table_common.exceptions import ValidationException

ORDERS = Topics(("orders",))


def test_topics_are_separated_by_semicolons() -> None:
    assert topics_of(ReadableConfig({"topic": "a; b;a"}), "here") == Topics(("a", "b"))


def test_a_pattern_is_kept() -> None:
    assert topics_of(ReadableConfig({"topic-pattern": "a[0-9]+"}), "here") == Topics(pattern="a[0-9]+")


def test_modes_have_what_they_need() -> None:
    options = ReadableConfig(
        {
            "scan.startup.mode": "specific-offsets",
            "scan.startup.specific-offsets": "partition:0,offset:42;partition:1,offset:300",
            "scan.bounded.mode": "timestamp",
            "scan.bounded.timestamp-millis": "5",
        }
    )
    assert startup_mode(options, ORDERS, "here") == Mode("specific-offsets", offsets={0: 42, 1: 300})
    assert bounded_mode(options, ORDERS, "here") == Mode("timestamp", timestamp=5)


def test_the_defaults_are_those_of_flink() -> None:
    assert startup_mode(ReadableConfig({}), ORDERS, "here") == Mode("group-offsets")
    assert bounded_mode(ReadableConfig({}), ORDERS, "here") is None


@pytest.mark.parametrize("text", ["", "partition:0", "partition:0,offset:-1", "partition:0,offset:1;partition:0,offset:2", "0:1"])
def test_offsets_of_another_form_are_refused(text: str) -> None:
    options = ReadableConfig({"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": text})
    with pytest.raises(ValidationException, match=r"cannot be read|needs the option"):
        startup_mode(options, ORDERS, "here")
