"""How much memory the state of the operators of a job takes, and the limit ``table.exec.state.memory``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.budget import size_text
from table_runtime.streaming.operators.operator import AnyOperator, OperatorState

_SAMPLE = 64
"""The number of elements that are measured of a larger collection; the others count as much on average."""
_SECONDS = 1.0
_MOST_TIME = 50
"""Minimum interval between two measurements, as a multiple of the duration of the last one."""
_NOT_STATE = (type, ExecutionContext, pa.DataType, pa.Schema, pa.Field)


class StateMemory:
    """Measures the states of the operators of a run once in a while; ``limit`` is in bytes, None: no limit. ``clock`` returns seconds."""

    def __init__(self, limit: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._next = clock() + _SECONDS

    def look(self, operators: Sequence[AnyOperator], states: Sequence[OperatorState]) -> None:
        """Notes the size of each state in its metrics, if the last time is long enough ago.

        Raises:
            TableRuntimeException: together they exceed the limit.
        """
        began = self._clock()
        if began < self._next:
            return
        for state in states:
            if state.keys is not None:
                state.metrics.state_bytes = size_of(state)
        ended = self._clock()
        self._next = ended + max(_SECONDS, _MOST_TIME * (ended - began))
        self._check(operators, states)

    def _check(self, operators: Sequence[AnyOperator], states: Sequence[OperatorState]) -> None:
        sizes = [state.metrics.state_bytes or 0 for state in states]
        if self._limit is None or sum(sizes) <= self._limit:
            return
        largest = max(range(len(sizes)), key=sizes.__getitem__)
        keys = states[largest].keys
        count = f" for {keys.size:,} keys" if keys is not None and keys.types else ""
        raise TableRuntimeException(
            f"The state of the job takes {size_text(sum(sizes))}, and 'table.exec.state.memory' is {size_text(self._limit)}: "
            f"{operators[largest]} keeps {size_text(sizes[largest])}{count}.",
            hint="Let state expire ('table.exec.state.ttl'), group by windows of time, or raise 'table.exec.state.memory'.",
        )


def size_of(value: Any) -> int:
    """Returns about how many bytes a value takes with all that it holds, allocated memory that is not used yet included."""
    return _size_of(value, set())


def _size_of(value: Any, seen: set[int]) -> int:
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return sys.getsizeof(value)
    if id(value) in seen or isinstance(value, _NOT_STATE) or callable(value):
        return 0
    seen.add(id(value))
    match value:
        case np.ndarray():
            return _size_of(value.base, seen) if isinstance(value.base, np.ndarray) else int(value.nbytes)
        case pa.Array() | pa.ChunkedArray() | pa.RecordBatch() | pa.Table():
            return int(value.get_total_buffer_size())
        case pa.Buffer():
            return int(value.size)
        case Mapping():
            parts = (_size_of_elements(part, len(value), seen) for part in (value.keys(), value.values()))
            return sys.getsizeof(value) + sum(parts)
        case list() | tuple() | set() | frozenset():
            return sys.getsizeof(value) + _size_of_elements(value, len(value), seen)
        case _:
            return sys.getsizeof(value) + sum(_size_of(part, seen) for part in _attributes(value))


def _size_of_elements(elements: Iterable[Any], count: int, seen: set[int]) -> int:
    measured = sum(_size_of(element, seen) for element in islice(elements, _SAMPLE))
    return measured * count // _SAMPLE if count > _SAMPLE else measured


def _attributes(value: Any) -> Iterable[Any]:
    yield from getattr(value, "__dict__", {}).values()
    for name in {name for class_ in type(value).__mro__ for name in getattr(class_, "__slots__", ())}:
        if name not in ("__dict__", "__weakref__") and hasattr(value, name):
            yield getattr(value, name)
