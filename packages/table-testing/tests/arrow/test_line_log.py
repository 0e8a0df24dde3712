from __future__ import annotations

from pathlib import Path

import pytest

from table_common.connector import ReadLimit
from table_common.types import BigIntType, RowType
from table_testing.line_log import LineLog, append_lines

ROW = RowType.of([("n", BigIntType())], nullable=False)


def rows(log: LineLog, start: object, end: object) -> dict[str, list[list[object]]]:
    reader = log.create_reader()
    result = {}
    for split in log.plan(start, end):
        result[split.split_id] = next([column.to_pylist() for column in batch.columns] for batch in reader.read(split))  # type: ignore[attr-defined]
    return result


def test_ranges_of_partitions(tmp_path: Path) -> None:
    log = LineLog(str(tmp_path), ROW)
    assert log.latest_offset({}) == {}
    append_lines(tmp_path, "a", [[1], [2], [3]])
    append_lines(tmp_path, "b", [[4]])
    first = log.latest_offset({}, ReadLimit(rows=2))
    assert rows(log, {}, first) == {"a": [[1, 2]], "b": [[4]]}
    assert rows(log, first, log.latest_offset(first)) == {"a": [[3]]}
    assert not log.is_bounded


def test_a_line_that_is_not_complete_is_not_there_yet(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("[1]\n[2")
    log = LineLog(str(tmp_path), ROW)
    assert rows(log, {}, log.latest_offset({})) == {"a": [[1]]}


def test_kinds_are_the_last_column(tmp_path: Path) -> None:
    append_lines(tmp_path, "a", [["+I", 1], ["-D", 1]])
    log = LineLog(str(tmp_path), ROW, with_kinds=True)
    assert rows(log, {}, log.latest_offset({})) == {"a": [[1, 1], [0, 3]]}


@pytest.mark.parametrize("is_new", [True, False])
def test_waiting_ends_when_there_are_rows(is_new: bool, tmp_path: Path) -> None:
    if is_new:
        append_lines(tmp_path, "a", [[1]])
    assert LineLog(str(tmp_path), ROW).wait({}, 0.01) is is_new
