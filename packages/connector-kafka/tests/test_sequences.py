"""The header of written messages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from connector_kafka.sequences import HEADER, HeaderValues, header_of, sequence_of


def test_headers_of_many_messages_are_those_of_each() -> None:
    job = "a job with % and ü"
    values = HeaderValues(job, 7)
    for start, count in [(0, 0), (0, 1), (98, 3), (0, 1000), (999, 1), (998, 2004), (1000, 1000), (1001, 5), (123_999, 2), (2000, 0)]:
        assert list(values.of(start, count)) == [header_of(job, 7, number) for number in range(start, start + count)]


def test_a_header_is_read_as_it_was_written() -> None:
    message: Any = SimpleNamespace(headers=lambda: [("other", b"1 2 x"), (HEADER, header_of("a job", 7, 98))])
    assert sequence_of(message) == (b"a job", 7, 98)


def test_headers_of_others_are_none() -> None:
    for value in (b"", b"1 2", b"a 2 job", b"-1 2 job", None):
        message: Any = SimpleNamespace(headers=lambda value=value: [(HEADER, value)])
        assert sequence_of(message) is None
