"""RAND and RAND_INTEGER. With a constant seed they return the numbers of Flink, which are those of ``java.util.Random``.

A call with a constant seed has one generator for all batches; its state belongs to the program of the call. With a computed seed, each row
has its own generator and gets its first number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, to_array

_MULTIPLIER = 0x5DEECE66D
_MASK = (1 << 48) - 1
_DOUBLE_UNIT = 2.0**-53


class JavaRandom:
    """The linear congruential generator that ``java.util.Random`` documents."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def _bits(self, count: int) -> int:
        self._state = (self._state * _MULTIPLIER + 0xB) & _MASK
        return self._state >> (48 - count)

    def double(self) -> float:
        """Returns the next number from 0.0 to below 1.0."""
        return ((self._bits(26) << 27) + self._bits(27)) * _DOUBLE_UNIT

    def integer(self, bound: int) -> int:
        """Returns the next number from 0 to below ``bound``, which is positive."""
        if bound & -bound == bound:
            return (bound * self._bits(31)) >> 31
        while True:
            bits = self._bits(31)
            value = bits % bound
            if bits - value + (bound - 1) < 1 << 31:  # rejects values of the last, incomplete interval, which would bias the result
                return value


def _has_constant_seed(call: CallExpression) -> bool:
    """Returns whether a call of RAND or RAND_INTEGER has one stateful generator for all rows."""
    return _is_seeded(call) and isinstance(call.args[0], ValueLiteralExpression)


def _is_seeded(call: CallExpression) -> bool:
    return len(call.args) == (2 if call.function.name == "RAND_INTEGER" else 1)


def _generators(call: CallExpression) -> Callable[[Sequence[Any], int], list[Any]]:
    """Returns a function that returns the generator of each row of a batch; None if the seed is NULL."""
    if not _is_seeded(call):
        shared = random.SystemRandom()
        unseeded = JavaRandom(shared.getrandbits(48))
        return lambda args, num_rows: [unseeded] * num_rows
    seed = call.args[0]
    if isinstance(seed, ValueLiteralExpression):
        generator = None if seed.value is None else JavaRandom(seed.value)
        return lambda args, num_rows: [generator] * num_rows
    return lambda args, num_rows: [None if s is None else JavaRandom(s) for s in to_array(args[0], num_rows).to_pylist()]


def _rand(call: CallExpression) -> Kernel:
    generators = _generators(call)

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        if not args:
            return pc.random(num_rows)
        return pa.array([None if generator is None else generator.double() for generator in generators(args, num_rows)], pa.float64())

    return Kernel(run, True, has_state=_has_constant_seed(call))


def _rand_integer(call: CallExpression) -> Kernel:
    generators = _generators(call)

    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        bounds = to_array(args[-1], num_rows).to_pylist()
        wrong = next((bound for bound in bounds if bound is not None and bound <= 0), None)
        if wrong is not None:
            raise TableRuntimeException(f"RAND_INTEGER takes a bound above 0, but got {wrong}.")
        pairs = zip(generators(args, num_rows), bounds, strict=True)
        return pa.array(
            [None if generator is None or bound is None else generator.integer(bound) for generator, bound in pairs], pa.int32()
        )

    return Kernel(run, has_state=_has_constant_seed(call))


def _unprepared(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    raise AssertionError("the program prepares this kernel for each call")


RAND = Kernel(_unprepared, True, prepare=_rand)
RAND_INTEGER = Kernel(_unprepared, prepare=_rand_integer)
