"""Every scalar function of the registry has a kernel or a reason."""

from __future__ import annotations

from table_common.functions import FunctionKind
from table_common.functions.builtin import BUILT_INS
from table_runtime.kernels import KERNELS, UNSUPPORTED

_SCALARS = {function for function in BUILT_INS if function.kind in (FunctionKind.SCALAR, FunctionKind.ASYNC_SCALAR)}


def test_every_scalar_function_is_in_one_of_the_two_tables() -> None:
    assert set(KERNELS) | set(UNSUPPORTED) == _SCALARS


def test_no_function_is_in_both_tables() -> None:
    assert not set(KERNELS) & set(UNSUPPORTED)


def test_every_reason_is_a_sentence() -> None:
    assert all(len(reason) > 20 for reason in UNSUPPORTED.values())
