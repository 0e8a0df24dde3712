"""Process table functions: hints and the base class."""

from __future__ import annotations

from datetime import timedelta

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import ArgumentHint, ArgumentTrait, FunctionKind, ProcessTableFunction, StateHint, implements


def test_the_base_class_only_declares_its_methods() -> None:
    assert ProcessTableFunction.KIND is FunctionKind.PROCESS_TABLE
    assert not implements(ProcessTableFunction, "eval")
    assert not implements(ProcessTableFunction, "on_timer")


def test_a_hint_takes_traits() -> None:
    hint = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES)
    assert hint.traits == {ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES}
    with pytest.raises(ValidationException, match=r"ArgumentHint takes traits of ArgumentTrait, but got 'SET'"):
        ArgumentHint("SET")  # type: ignore[arg-type]  # a wrong argument


@pytest.mark.parametrize("ttl", [timedelta(seconds=-1), 5])
def test_state_is_kept_for_a_time(ttl: object) -> None:
    assert StateHint(ttl=timedelta(0)).ttl == timedelta(0)
    with pytest.raises(ValidationException, match="The ttl of StateHint is a timedelta of 0 or more"):
        StateHint(ttl=ttl)  # type: ignore[arg-type]  # a wrong argument


def test_a_class_defines_on_timer_once() -> None:
    with pytest.raises(ValidationException, match="defines on_timer twice"):

        class Twice(ProcessTableFunction[str]):
            def on_timer(self) -> None: ...

            def on_timer(self) -> None: ...  # type: ignore[no-redef]  # noqa: F811  # what the test is about
