from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from table_api.operations import (
    SetQueryOperation,
)
from table_api.operations.changelog import (
    ALL_KINDS,
    ModifyKind,
)
from table_api.plan.facts.record import facts_of, kinds_of_changes
from table_common.types import TimestampKind, TimestampType

if TYPE_CHECKING:
    from conftest import Inference

INSERTS = frozenset({ModifyKind.INSERT})
UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def test_set_operations_retract_rows_that_the_other_input_removes(inference: Inference) -> None:
    def kinds(sql: str, *inputs: frozenset[ModifyKind]) -> frozenset[ModifyKind]:
        return kinds_of_changes(inference.query(sql), inputs)

    assert kinds("SELECT name FROM t UNION ALL SELECT name FROM u", INSERTS, UPDATES) == UPDATES
    assert kinds("SELECT name FROM t INTERSECT SELECT name FROM u", INSERTS, INSERTS) == INSERTS
    assert kinds("SELECT name FROM t INTERSECT SELECT name FROM u", INSERTS, UPDATES) == ALL_KINDS
    assert kinds("SELECT name FROM t EXCEPT SELECT name FROM u", INSERTS, INSERTS) == ALL_KINDS


@pytest.mark.parametrize(("operator", "is_lost"), [("UNION ALL", False), ("UNION", True), ("INTERSECT", True)])
def test_a_set_operation_that_removes_duplicates_loses_time_attributes(inference: Inference, operator: str, is_lost: bool) -> None:
    node = inference.query(f"SELECT age FROM t {operator} SELECT age FROM t")
    assert isinstance(node, SetQueryOperation)
    timed = replace(node, types=(TimestampType(3, kind=TimestampKind.ROWTIME),))
    settled = facts_of(SetQueryOperation).settled
    assert settled is not None
    changed = settled(timed, timed, [None, None])
    assert (changed is not timed) == is_lost
    assert changed.types == ((TimestampType(3),) if is_lost else timed.types)  # type: ignore[attr-defined]  # of the base class
