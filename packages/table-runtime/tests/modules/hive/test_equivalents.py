from __future__ import annotations

from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_runtime.modules.hive import equivalents
from table_runtime.modules.hive.registry import hive_built_ins


def test_every_equivalent_is_a_built_in_function_of_a_function_of_hive() -> None:
    assert [name for name, built_in in equivalents.EQUIVALENTS.items() if built_in not in BUILT_INS_BY_NAME] == []
    assert sorted(set(equivalents.EQUIVALENTS) - set(hive_built_ins())) == []
