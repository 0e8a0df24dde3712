"""The base class of physical operators: record batches in, record batches out, pull-based."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from table_runtime.run.execution import ExecutionContext


class Operator(ABC):
    """A node of the physical plan. It can run several times, also concurrently: all state of a run is in the iterator.

    Batches are in the Arrow schema ``schema`` (types and order; names may repeat) and may be of any size, also empty.
    """

    has_own_thread = False
    """Whether its input runs on a different thread than its consumer."""
    is_bounded: bool = True
    """Whether the rows of a scan end."""
    estimated_rows: float | None = None
    """The estimated rows of its node, if the plan was lowered with estimates."""

    spill_level = 0
    """How often the inputs have been partitioned, because they exceeded the memory."""

    def __init__(self, schema: pa.Schema, inputs: Sequence[Operator] = ()) -> None:
        self.schema = schema
        self.inputs = tuple(inputs)
        self._origin: Operator | None = None

    @property
    def origin(self) -> Operator:
        """The operator of the plan of which this one processes a part; otherwise itself."""
        return self if self._origin is None else self._origin

    @origin.setter
    def origin(self, operator: Operator) -> None:
        self._origin = operator

    @property
    def name(self) -> str:
        """The operator's name in plans."""
        return type(self).__name__

    def details(self) -> str:
        """Returns the text in the operator's parentheses in plans."""
        return ""

    def plan_lines(self) -> list[str]:
        """Returns the lines of this operator in a plan, top first; more than one if it fuses several steps."""
        return [f"{self.name}({self.details()})"]

    def selecting(self, columns: Sequence[int], schema: pa.Schema, plan_line: str) -> Operator | None:
        """Returns an operator that produces only ``columns``, as in ``schema``; None if this operator cannot select columns.

        ``plan_line`` is shown above the operator's own lines in plans.
        """
        return None

    @abstractmethod
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the rows; closing the iterator early stops its inputs.

        Raises:
            JobCancelledException: the context's token was cancelled.
            TableRuntimeException: reading, computing or writing failed.
        """


def depth_of(root: Operator, known: dict[int, int]) -> int:
    """Returns the number of operators on the longest path below the root that one thread runs, the root included.

    ``known`` caches the depths of operators by identity; computed depths are added to it.
    """
    stack: list[tuple[Operator, bool]] = [(root, False)]
    while stack:
        operator, is_ready = stack.pop()
        if id(operator) in known:
            continue
        if operator.has_own_thread:
            known[id(operator)] = 0
        elif is_ready:
            known[id(operator)] = 1 + max((known[id(child)] for child in operator.inputs), default=0)
        else:
            stack.append((operator, True))
            stack.extend((child, False) for child in operator.inputs)
    return known[id(root)]


def describe(root: Operator, note: Callable[[Operator], str] = lambda operator: "") -> str:
    """Returns the tree as text: one line per operator, inputs indented below their consumer. A shared input is shown once.

    ``note`` returns what follows the first line of an operator.
    """
    lines: list[str] = []
    shown: set[int] = set()
    stack: list[tuple[Operator, int]] = [(root, 0)]
    while stack:
        operator, depth = stack.pop()
        if id(operator) in shown and operator.inputs:
            lines.append(("   " * (depth - 1) + "+- " if depth else "") + f"Reused({operator.name}({operator.details()}))")
            continue
        shown.add(id(operator))
        noted = note(operator)
        for line in operator.plan_lines():
            lines.append(("   " * (depth - 1) + "+- " if depth else "") + line + noted)
            noted = ""
            depth += 1
        stack.extend((child, depth) for child in reversed(operator.inputs))
    return "\n".join(lines)


def shown_estimate(operator: Operator) -> str:
    """Returns what a plan shows of an operator's estimated rows; empty if they are not known."""
    return "" if operator.estimated_rows is None else f" [estimated rows={operator.estimated_rows:.0f}]"
