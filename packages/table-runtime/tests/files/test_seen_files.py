"""The bounded set of files that were read."""

from __future__ import annotations

import json

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.files import seen_files
from table_runtime.files.listed_files import Listing
from table_runtime.files.seen_files import SeenFiles


def listing(*times: int) -> Listing:
    return Listing((f"{time:02}", (time, 10)) for time in times)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "MOST_NAMES", 2)


def test_new_files_are_in_the_order_of_their_times() -> None:
    seen = SeenFiles().with_files([("03", (3, 10))], listing(3))
    assert [name for name, _ in seen.new_files(listing(5, 3, 1), "t", None)] == ["01", "05"]


def test_an_offset_keeps_the_newest_names_and_all_of_its_own_range() -> None:
    seen = SeenFiles()
    for times in ((1, 2, 3), (4,), (5,)):
        files = listing(*range(1, times[-1] + 1))
        seen = seen.with_files([(f"{time:02}", (time, 10)) for time in times], files)
        assert set(listing(*times)) <= seen.files.keys()
        seen = SeenFiles.from_json(json.loads(json.dumps(seen.to_json())))
        assert seen.new_files(files, "t", None) == []
    assert sorted(seen.files) == ["04", "05"]
    assert sorted(seen.covered_files(listing(1, 2, 3, 4, 5))) == ["01", "02", "03"]


def test_files_that_are_gone_are_forgotten() -> None:
    seen = SeenFiles().with_files([("01", (1, 10)), ("02", (2, 10))], listing(1, 2)).with_files([("03", (3, 10))], listing(2, 3))
    assert sorted(seen.files) == ["02", "03"]
    assert seen.floor is None


def test_a_file_behind_the_floor_is_an_error_whoever_looks() -> None:
    seen = SeenFiles().with_files([(f"{time:02}", (time, 10)) for time in (2, 3)], listing(2, 3))
    seen = seen.with_files([("04", (4, 10)), ("05", (5, 10))], listing(2, 3, 4, 5))
    assert sorted(seen.files) == ["04", "05"]
    for known in (None, listing(2, 3)):
        with pytest.raises(TableRuntimeException, match="came with a modification time before"):
            seen.new_files(listing(1, 2, 3, 4, 5), "t", known)
