"""What a source with offsets need not define, and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from table_common.connector import Offset, ReadLimit, SourceProvider, SourceReader, SourceSplit, SupportsArrowArray
from table_common.exceptions import ValidationException


class Reader(SourceReader):
    def read(self, split: SourceSplit) -> Iterator[SupportsArrowArray]:
        return iter(())


class Log(SourceProvider):
    is_bounded = False

    def initial_offset(self) -> Offset:
        return 0

    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        return 9

    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        return ()

    def create_reader(self) -> SourceReader:
        return Reader()


def test_commit_and_close_are_optional() -> None:
    log = Log()
    log.commit(log.latest_offset(0))
    log.close()
    log.create_reader().close()


def test_a_source_that_cannot_wait_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("table_common.connector.source_provider.time.sleep", slept.append)
    assert Log().wait(9, 2.5)
    assert slept == [2.5]


@pytest.mark.parametrize("limit", [{"rows": 0}, {"bytes": -1}])
def test_a_limit_lets_something_pass(limit: dict[str, int]) -> None:
    with pytest.raises(ValidationException, match="must be at least 1"):
        ReadLimit(**limit)
