"""The header of written messages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from connector_kafka.sequences import HEADER, header_of, header_values, sequence_of


def test_headers_of_many_messages_are_those_of_each() -> None:
    job = "a job with % and ü"
    assert header_values(job, 7, 98, 3) == [header_of(job, 7, number) for number in (98, 99, 100)]


def test_a_header_is_read_as_it_was_written() -> None:
    message: Any = SimpleNamespace(headers=lambda: [("other", b"1 2 x"), (HEADER, header_of("a job", 7, 98))])
    assert sequence_of(message) == (b"a job", 7, 98)


def test_headers_of_others_are_none() -> None:
    for value in (b"", b"1 2", b"a 2 job", b"-1 2 job", None):
        message: Any = SimpleNamespace(headers=lambda value=value: [(HEADER, value)])
        assert sequence_of(message) is None
