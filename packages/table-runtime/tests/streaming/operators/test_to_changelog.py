from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from table_common.connector import RowKind
from table_runtime.streaming.operators.to_changelog import ToChangelog

if TYPE_CHECKING:
    from conftest import Change, Give

ROW = pa.schema([("k", pa.int32())])
WITH_OP = pa.schema([("op", pa.string()), ("k", pa.int32())])
CHANGES: list[Change] = [("+I", (1,)), ("-U", (1,)), ("+U", (2,)), ("-D", (2,)), ("+I", (None,))]


def test_each_change_is_a_row_with_its_code(give: Give) -> None:
    operator = ToChangelog(WITH_OP, {kind: kind.name for kind in RowKind})
    for size in (1, 2, 100):
        assert give(operator, ROW, CHANGES, size) == [
            ("+I", ("INSERT", 1)),
            ("+I", ("UPDATE_BEFORE", 1)),
            ("+I", ("UPDATE_AFTER", 2)),
            ("+I", ("DELETE", 2)),
            ("+I", ("INSERT", None)),
        ]


def test_changes_of_kinds_without_a_code_are_dropped(give: Give) -> None:
    operator = ToChangelog(WITH_OP, {RowKind.UPDATE_AFTER: "u", RowKind.DELETE: "d"})
    for size in (1, 2, 100):
        assert give(operator, ROW, CHANGES, size) == [("+I", ("u", 2)), ("+I", ("d", 2))]
