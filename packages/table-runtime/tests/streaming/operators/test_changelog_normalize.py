from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_runtime.streaming.operators.changelog_normalize import LastRowByKey
from table_runtime.streaming.operators.keep_first_row import KeepFirstRow
from table_runtime.streaming.state import row_values

if TYPE_CHECKING:
    from conftest import Change, Give

ROW = pa.schema([("k", pa.int32()), ("v", pa.string())])
CHANGES: list[Change] = [
    ("+I", (1, "a")),
    ("+U", (1, "b")),
    ("+U", (1, "b")),
    ("-D", (2, None)),
    ("+U", (2, "x")),
    ("-D", (1, None)),
    ("-D", (1, None)),
    ("+I", (1, "c")),
]
COMPLETE = [("+I", (1, "a")), ("-U", (1, "a")), ("+U", (1, "b")), ("+I", (2, "x")), ("-D", (1, "b")), ("+I", (1, "c"))]


def operator(**options: Any) -> LastRowByKey:
    return LastRowByKey(ROW, [0], name="ChangelogNormalize", **{"gives_before": True, **options})


def test_updates_and_deletions_are_completed_and_duplicates_dropped(give: Give) -> None:
    for size in (1, 2, 3, 100):
        assert give(operator(), ROW, CHANGES, size) == COMPLETE


def test_without_update_before_only_update_after_is_emitted(give: Give) -> None:
    assert give(operator(gives_before=False), ROW, CHANGES) == [change for change in COMPLETE if change[0] != "-U"]


def test_update_before_in_the_input_is_ignored(give: Give) -> None:
    changes = [("+I", (1, "a")), ("-U", (1, "wrong")), ("+U", (1, "b")), ("-U", (1, "b"))]
    assert give(operator(), ROW, changes) == [("+I", (1, "a")), ("-U", (1, "a")), ("+U", (1, "b"))]


def test_net_changes_are_emitted_once_per_key_and_batch(give: Give) -> None:
    assert give(operator(nets_batches=True), ROW, CHANGES) == [("+I", (1, "c")), ("+I", (2, "x"))]
    assert give(operator(nets_batches=True), ROW, CHANGES, 1) == COMPLETE


def test_deleted_rows_are_removed_from_memory(give: Give, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_values, "_FEW", 0)
    changes = [("+I", (number % 3, str(number))) for number in range(50)]
    assert give(operator(), ROW, changes, 4) == give(operator(), ROW, changes)


def test_the_first_row_of_each_key_is_kept(give: Give) -> None:
    changes = [("+I", (1, "a")), ("+I", (1, "b")), ("+I", (None, "c")), ("+I", (None, "d")), ("+I", (2, "e"))]
    expected = [("+I", (1, "a")), ("+I", (None, "c")), ("+I", (2, "e"))]
    for size in (1, 2, 100):
        assert give(KeepFirstRow(ROW, [0]), ROW, changes, size) == expected
