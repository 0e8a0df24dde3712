"""Where scans begin and end, on both brokers."""

from __future__ import annotations

import pytest
from kafka_brokers import BROKERS, new_topic, produce
from kafka_tables import all_rows, case_of, options_of, source_of

from table_common.exceptions import TableRuntimeException, ValidationException

NUMBERS = case_of("id BIGINT")


def numbers(*values: int) -> list[bytes | None]:
    return [b'{"id": %d}' % value for value in values]


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def topic(broker: str) -> str:
    """A topic whose first partition has 40 messages in 4 batches, 10 per second."""
    name = new_topic(broker)
    for batch in range(4):
        produce(broker, name, numbers(*range(batch * 10, batch * 10 + 10)), timestamp=1_700_000_000_000 + batch * 1_000)
    return name


def read(broker: str, topic: str, **options: str) -> list[int]:
    return [row[0] for row in all_rows(source_of(NUMBERS, options_of(broker, topic, **options)))]


def test_a_scan_reads_to_the_end_whatever_the_broker_lists(broker: str, topic: str) -> None:
    assert read(broker, topic) == list(range(40))


def test_a_scan_that_begins_at_the_end_has_no_rows(broker: str, topic: str) -> None:
    assert read(broker, topic, scan__startup__mode="latest-offset") == []


def test_a_scan_begins_and_ends_at_given_offsets(broker: str, topic: str) -> None:
    modes = {"scan__startup__mode": "specific-offsets", "scan__startup__specific_offsets": "partition:0,offset:5"}
    modes |= {"scan__bounded__mode": "specific-offsets", "scan__bounded__specific_offsets": "partition:0,offset:33"}
    assert read(broker, topic, **modes) == list(range(5, 33))


def test_a_scan_begins_at_the_first_message_that_is_not_older() -> None:
    """On the broker whose answer is too early; the mock cluster does not know times."""
    topic = new_topic("tansu")
    for batch in range(4):
        produce("tansu", topic, numbers(*range(batch * 10, batch * 10 + 10)), timestamp=1_700_000_000_000 + batch * 1_000)
    begins = {"scan__startup__mode": "timestamp", "scan__startup__timestamp_millis": "1700000001500"}
    ends = {"scan__bounded__mode": "timestamp", "scan__bounded__timestamp_millis": "1700000003000"}
    assert read("tansu", topic, **begins) == list(range(20, 40))
    assert read("tansu", topic, **begins, **ends) == list(range(20, 30))
    assert read("tansu", topic, scan__startup__mode="timestamp", scan__startup__timestamp_millis="1800000000000") == []


def test_a_scan_goes_on_behind_what_the_group_has_committed(broker: str, topic: str) -> None:
    options = options_of(broker, topic, properties__group__id="readers", scan__startup__mode="group-offsets")
    with pytest.raises(TableRuntimeException, match="'readers' has committed no offset of partition"):
        source_of(NUMBERS, options).initial_offset()
    options["properties.auto.offset.reset"] = "earliest"
    provider = source_of(NUMBERS, options)
    start = provider.initial_offset()
    assert start[topic]["0"] == 0  # type: ignore[index]  # an offset is JSON
    provider.commit({topic: {"0": 7, "1": 0, "2": 0}})
    provider.close()
    assert [row[0] for row in all_rows(source_of(NUMBERS, options))] == list(range(7, 40))


def test_offsets_of_a_group_need_a_group(broker: str, topic: str) -> None:
    with pytest.raises(ValidationException, match=r"needs the option 'properties.group.id'"):
        source_of(NUMBERS, options_of(broker, topic, scan__startup__mode="group-offsets")).initial_offset()


def test_an_unknown_partition_is_refused(broker: str, topic: str) -> None:
    options = options_of(broker, topic, scan__startup__mode="specific-offsets", scan__startup__specific_offsets="partition:9,offset:0")
    with pytest.raises(ValidationException, match="has no partition 9") as caught:
        source_of(NUMBERS, options).initial_offset()
    assert "partitions 0 to" in (caught.value.hint or "")


@pytest.mark.parametrize(("policy", "found"), [("earliest", list(range(40))), ("latest", [])])
def test_an_offset_behind_the_end_is_handled_as_the_option_says(broker: str, topic: str, policy: str, found: list[int]) -> None:
    modes = {"scan__startup__mode": "specific-offsets", "scan__startup__specific_offsets": "partition:0,offset:41"}
    assert read(broker, topic, **modes, scan__on_offset_out_of_range=policy) == found
    with pytest.raises(TableRuntimeException, match="has the offsets 0 to 39, so it cannot be read from offset 41"):
        read(broker, topic, **modes)
