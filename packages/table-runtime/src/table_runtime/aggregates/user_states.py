"""User-defined aggregates with ``merge``: their states are pickled accumulators, one per group.

The states can be sent between processes, and memory holds groups instead of rows.
"""

from __future__ import annotations

import importlib
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition, UserFunction, implements
from table_runtime.aggregates.accumulator import AggregateSpec, Reduction
from table_runtime.aggregates.lists import gather, positions
from table_runtime.aggregates.user import NO_ROWS, UserAggregate
from table_runtime.udf.errors import call_failed
from table_runtime.udf.invocation import Invocation
from table_runtime.udf.rowwise import results_column


def defines_merge(definition: FunctionDefinition) -> bool:
    """Returns whether the accumulators of partial results can be merged."""
    return isinstance(definition, UserFunction) and implements(definition.function, "merge")


class UserStates(UserAggregate):
    """Partial states: one column of pickled accumulators per call; ``merge`` combines those of a group.

    Args:
    definition: a function that defines ``merge``.
    spec: the call.
    is_filtered: whether the last argument is the FILTER, a BOOLEAN column without NULLs.
    """

    def __init__(self, definition: FunctionDefinition, spec: AggregateSpec, *, is_filtered: bool = False) -> None:
        super().__init__(definition, spec)
        self._is_filtered = is_filtered
        self._dumps, self._loads = _codec(self._invocation.definition)

    @override
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        return [Reduction(positions(rows, args[-1] if self._is_filtered else None), "list")]

    @override
    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns one column of bytes.

        Raises:
            TableRuntimeException: a call failed, or an accumulator cannot be pickled.
        """
        args = args[:-1] if self._is_filtered else args
        # Without arguments, a column of NULLs carries the number of rows.
        selected = reduced[0]
        lists = [gather(selected, arg) for arg in args] or [gather(selected, pa.nulls(len(selected.flatten()) or 1, pa.int8()))]
        return [self._as_bytes(self._complete(self.accumulators(lists)))]

    def _complete(self, accumulators: Iterable[Any]) -> Iterator[Any]:
        """Replaces the sign for no rows, which exists in this process only, by an accumulator."""
        function = self._invocation.function()
        return (function.create_accumulator() if accumulator is NO_ROWS else accumulator for accumulator in accumulators)

    @override
    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        (selected,) = reduced
        return [self._as_bytes(self._merged_accumulators(gather(selected, state[0])))]

    @override
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        single_states = pa.ListArray.from_arrays(pa.arange(0, len(state[0]) + 1).cast(pa.int32()), state[0])
        return self.finish_states(single_states)

    def finish_states(self, lists: pa.Array) -> pa.Array:
        """Returns one result per list of pickled accumulators; an empty list gives the result over no rows.

        Raises:
            TableRuntimeException: a call failed or returned a value of another type than declared.
        """
        with self._invocation.lock, self._invocation.in_use():
            results = [self.result(accumulator) for accumulator in self._merged_accumulators(lists)]
        return results_column(self._invocation, results, [])

    def _merged_accumulators(self, lists: pa.Array) -> Any:
        invocation = self._invocation
        function = invocation.function()
        states = pc.list_flatten(lists).to_pylist()
        loads, end = self._loads, 0
        for count in pc.list_value_length(lists).to_pylist():
            start, end = end, end + count
            try:
                if count == 0:
                    yield function.create_accumulator() if invocation.definition.func_type == "general" else NO_ROWS
                    continue
                accumulator = loads(states[start])
                if count > 1:
                    function.merge(accumulator, [loads(state) for state in states[start + 1 : end]])
            except Exception as error:
                raise call_failed(f"{invocation.name}.merge", error, None, None, masked=invocation.masked) from error
            yield accumulator

    def _as_bytes(self, accumulators: Any) -> pa.Array:
        with self._invocation.lock, self._invocation.in_use():
            return _pickled(self._invocation, self._dumps, accumulators)


def _pickled(invocation: Invocation, dumps: Callable[[Any], bytes], accumulators: Iterable[Any]) -> pa.Array:
    try:
        return pa.array([dumps(accumulator) for accumulator in accumulators], pa.binary())
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TableRuntimeException(
            f"An accumulator of the function {invocation.name} cannot be pickled: {error}",
            hint="Store plain values in it, not connections, files or lambdas.",
        ) from error


def _codec(definition: UserFunction) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    """Returns the functions that pickle and unpickle accumulators.

    Classes that a worker cannot import are pickled by their names in the function's signature.
    """
    local_classes = {
        f"{accumulator_class.class_.__module__}:{accumulator_class.class_.__qualname__}": accumulator_class.class_
        for signature in definition.signatures
        for accumulator_class in (signature.accumulator.classes if signature.accumulator is not None else ())
        if not _is_importable(accumulator_class.class_)
    }
    if not local_classes:
        return pickle.dumps, pickle.loads
    names = {class_: name for name, class_ in local_classes.items()}

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            return names.get(obj) if isinstance(obj, type) else None

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: Any) -> Any:
            return local_classes[pid]

    def dumps(value: Any) -> bytes:
        target = io.BytesIO()
        Pickler(target).dump(value)
        return target.getvalue()

    return dumps, lambda data: Unpickler(io.BytesIO(data)).load()


def _is_importable(class_: type[Any]) -> bool:
    try:
        imported: Any = reduce(getattr, class_.__qualname__.split("."), importlib.import_module(class_.__module__))
        return imported is class_
    except (ImportError, AttributeError):
        return False
