"""The physical form of a call of a process table function."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa

from table_common.connector import ChangelogMode
from table_common.frozen_dataclass import dataclass
from table_common.functions import ExtractedType, FunctionContext, ProcessSignature, UserFunction
from table_common.types import LogicalType, RowType, StructuredType
from table_runtime.columns.ordering import SortKey
from table_runtime.expressions import Evaluator
from table_runtime.udf.invocation import Invocation


@dataclass(frozen=True, slots=True)
class TableColumns:
    """A table of a call as its plan has it: the name of its parameter (None: it is passed to none), its type, and the positions of columns.

    ``through`` are the columns before those of the function, ``time`` that of ``on_time`` (-1: none).
    """

    name: str | None
    row_type: RowType
    schema: pa.Schema
    partition_by: tuple[int, ...]
    order_by: tuple[SortKey, ...]
    time: int
    through: tuple[int, ...]
    mode: ChangelogMode


@dataclass(frozen=True, slots=True)
class ProcessInput:
    """A table of a call; positions are those of its columns. ``argument`` is the position of its parameter among the arguments; -1: it is passed to none.

    ``through`` are the columns before those of the function, ``time`` that of ``on_time`` (-1: none). ``conversion`` says the class of its rows (None: ``Row``).
    """

    name: str
    argument: int
    schema: pa.Schema
    row_type: LogicalType
    types: tuple[LogicalType, ...]
    conversion: ExtractedType | None
    partition_by: tuple[int, ...]
    order_by: tuple[SortKey, ...]
    time: int
    through: tuple[int, ...]
    mode: ChangelogMode


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A call. ``scalars`` are the positions among the arguments, and types, of what ``constants`` evaluates.

    ``has_keys``: rows are divided by partition, and state is kept; otherwise each row is alone. ``ttls``: for how many milliseconds each state entry is kept
    after the last call for its key; 0: for ever. ``own_names`` and ``own_types`` are the columns of the function; ``is_row``: a value of it has fields.
    ``time_type`` is the type of the last column, the time; None without it. ``mode`` is what it may emit.
    """

    function: UserFunction
    inputs: tuple[ProcessInput, ...]
    schema: pa.Schema
    constants: Evaluator
    scalars: tuple[tuple[int, LogicalType], ...]
    own_names: tuple[str, ...]
    own_types: tuple[LogicalType, ...]
    is_row: bool
    time_type: LogicalType | None
    mode: ChangelogMode
    has_keys: bool
    ttls: tuple[int, ...]

    @property
    def signature(self) -> ProcessSignature:
        """How the function is called."""
        process = self.function.process
        assert process is not None
        return process

    @property
    def passes_through(self) -> bool:
        """Whether columns besides those of the partition are put before those of the function."""
        return any(one.through != one.partition_by for one in self.inputs)

    @property
    def has_timers(self) -> bool:
        """Whether calls may register timers."""
        return self.has_keys and self.signature.has_timers and not self.passes_through

    @property
    def key_types(self) -> Sequence[pa.DataType]:
        """The types of the columns of the partition."""
        first = self.inputs[0]
        return [first.schema.field(position).type for position in first.partition_by]


def process_spec(
    function: UserFunction,
    tables: Sequence[TableColumns],
    constants: Evaluator,
    schema: pa.Schema,
    time_type: LogicalType | None,
    mode: ChangelogMode,
    retention: int = 0,
) -> ProcessSpec:
    """Returns the physical form of a call.

    Args:
        function: the function.
        tables: its tables.
        constants: evaluates its scalar arguments.
        schema: the columns of its rows.
        time_type: the type of the last column, the time; None without it.
        mode: what it may emit.
        retention: for how many milliseconds state is kept that says nothing else; 0: for ever.
    """
    signature = function.process
    assert signature is not None
    names = [argument.name for argument in signature.arguments]
    inputs = []
    for table in tables:
        position = -1 if table.name is None else names.index(table.name)
        declared = signature.arguments[position].extracted if position >= 0 else None
        typed = None if declared is None or declared.type is None else declared
        inputs.append(
            ProcessInput(
                table.name or "",
                position,
                table.schema,
                table.row_type if typed is None or typed.type is None else typed.type,
                table.row_type.field_types,
                typed,
                table.partition_by,
                table.order_by,
                table.time,
                table.through,
                table.mode,
            )
        )
    scalars = [position for position, argument in enumerate(signature.arguments) if not argument.is_table]
    output = signature.output.type
    assert output is not None
    is_row = isinstance(output, (RowType, StructuredType))
    return ProcessSpec(
        function,
        tuple(inputs),
        schema,
        constants,
        tuple((position, scalar.output_type) for position, scalar in zip(scalars, constants.expressions, strict=True)),
        tuple(field.name for field in output.fields) if isinstance(output, (RowType, StructuredType)) else ("EXPR$0",),
        tuple(field.type for field in output.fields) if isinstance(output, (RowType, StructuredType)) else (output,),
        is_row,
        time_type,
        mode,
        any(argument.is_set for argument in signature.arguments),
        tuple(retention if entry.ttl is None else entry.ttl // timedelta(milliseconds=1) for entry in signature.states),
    )


class ProcessInvocation(Invocation):
    """The opened function of a call, by one run."""

    def __init__(self, definition: UserFunction) -> None:
        self.definition = definition
        self.name = definition.name
        self.masked = bool(getattr(definition.function, "masks_arguments", False))
        self.lock = threading.RLock()
        self._context = FunctionContext(definition.job_parameters, definition.cached_files, task_name=definition.name)
        self._opened = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ProcessInvocation, (self.definition,)
