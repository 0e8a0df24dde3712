from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.operators.from_changelog import FromChangelog

if TYPE_CHECKING:
    from conftest import Give

ROW = pa.schema([("k", pa.int32()), ("op", pa.string()), ("v", pa.string())])
WITHOUT_OP = pa.schema([("k", pa.int32()), ("v", pa.string())])
CODES = {"c": RowKind.INSERT, "r": RowKind.INSERT, "ub": RowKind.UPDATE_BEFORE, "ua": RowKind.UPDATE_AFTER, "d": RowKind.DELETE}
OPERATOR = FromChangelog(WITHOUT_OP, 1, "op", CODES)


def test_each_row_becomes_a_change_of_the_coded_kind(give: Give) -> None:
    rows = [("+I", (1, op, "x")) for op in ("r", "c", "ub", "ua", "d")]
    for size in (1, 2, 100):
        assert give(OPERATOR, ROW, rows, size) == [(kind, (1, "x")) for kind in ("+I", "+I", "-U", "+U", "-D")]


@pytest.mark.parametrize(("op", "message"), [("X", "'op' .* has the code 'X', but the codes are 'c', 'd', 'r'"), (None, "'op' .* is NULL")])
def test_an_unknown_code_is_an_error_that_names_it(give: Give, op: str | None, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        give(OPERATOR, ROW, [("+I", (1, "c", "x")), ("+I", (1, op, "x"))])
