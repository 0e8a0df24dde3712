"""One call of a user function in a plan: its signature, the conversion of arguments, and the opened function."""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from table_common.functions import FunctionContext, UserDefinedFunction, UserFunction, report_metrics
from table_common.types import LogicalType
from table_runtime.cancellation import calling
from table_runtime.udf.errors import RAISED, call_failed
from table_runtime.udf.values import Convert, reader_for


class Invocation:
    """State that all invokers share.

    The function is a copy of the user's function, opened at the first call and closed with this object.
    """

    def __init__(
        self,
        definition: UserFunction,
        argument_types: Sequence[LogicalType],
        output_type: LogicalType,
        context: FunctionContext | None = None,
    ) -> None:
        self.definition = definition
        self.name = definition.name
        self.argument_types = tuple(argument_types)
        self.output_type = output_type
        self.signature = definition.signature_for(argument_types)
        self.masked = bool(getattr(definition.function, "masks_arguments", False))
        self.lock = threading.RLock()
        self._context = context or FunctionContext(definition.job_parameters, definition.cached_files, task_name=definition.name)
        self._opened: UserDefinedFunction | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # The function is opened in each process.
        return Invocation, (self.definition, self.argument_types, self.output_type)

    @property
    def skipping(self) -> list[int]:
        """Positions of the arguments for which NULL skips the call."""
        return [i for i, type_ in enumerate(self.argument_types) if type_.nullable and self.signature.skips(i)]

    def readers(self) -> list[Convert | None]:
        """Returns the conversion of each argument, None if it needs none."""
        if not self.signature.parameters:
            return [None for _ in self.argument_types]
        return [reader_for(type_, self.signature.parameter(i).extracted) for i, type_ in enumerate(self.argument_types)]

    def where(self, position: int) -> str:
        """Returns the description of an argument in messages."""
        name = self.signature.parameter(position).name if self.signature.parameters else str(position + 1)
        return f"argument '{name}' of {self.name}"

    def in_use(self) -> _InUse:
        """Returns a context manager that registers calls of this thread and reports the metrics at its end; the caller holds ``lock``."""
        return _InUse(self.name, self._context)

    def function(self) -> Any:
        """Returns the opened function.

        Raises:
            TableRuntimeException: ``open`` failed.
        """
        with self.lock:
            if self._opened is None:
                function = copy.copy(self.definition.function)
                try:
                    function.open(self._context)
                except RAISED as error:
                    raise call_failed(f"{self.name}.open", error, None, None, masked=False) from error
                self._opened = function
                finalizer = weakref.finalize(self, _close, function, self.name, self._context)
                finalizer.atexit = True
            return self._opened


class _InUse(calling):
    __slots__ = ("_context", "_name")

    def __init__(self, name: str, context: FunctionContext) -> None:
        calling.__init__(self, f"the function {name}")
        self._name = name
        self._context = context

    def __exit__(self, *error: object) -> None:
        calling.__exit__(self, *error)
        _report(self._name, self._context)


def _close(function: UserDefinedFunction, name: str, context: FunctionContext) -> None:
    function.close()
    _report(name, context)


def _report(name: str, context: FunctionContext) -> None:
    if context.has_metrics:
        report_metrics(name, context.get_metric_group().take_changes())
