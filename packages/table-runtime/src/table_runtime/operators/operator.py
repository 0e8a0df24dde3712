"""What every physical operator is: record batches in, record batches out, pulled by whoever reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_runtime.operators.execution import ExecutionContext

__all__ = ["Operator", "describe"]


class Operator(ABC):
    """A node of the physical tree. It can be run several times, also at once: all state of a run lives in the iterator.

    Batches are in the Arrow schema ``schema`` (types and order; names may repeat) and may be of any size, also empty.
    """

    def __init__(self, schema: pa.Schema, inputs: Sequence[Operator] = ()) -> None:
        self.schema = schema
        self.inputs = tuple(inputs)

    @property
    def name(self) -> str:
        """The operator's name in plans."""
        return type(self).__name__

    def details(self) -> str:
        """Returns what a plan shows in the operator's parentheses."""
        return ""

    def plan_lines(self) -> list[str]:
        """Returns the lines of this operator in a plan, top first; more than one if it runs several steps in one go."""
        return [f"{self.name}({self.details()})"]

    @abstractmethod
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the rows; closing the iterator early stops everything below it.

        Raises:
            JobCancelledException: the context's token was cancelled.
            TableRuntimeException: reading, computing or writing failed.
        """


def describe(root: Operator) -> str:
    """Returns the tree as text, one operator a line, inputs indented below their reader."""
    lines: list[str] = []
    stack: list[tuple[Operator, int]] = [(root, 0)]
    while stack:
        operator, depth = stack.pop()
        for line in operator.plan_lines():
            lines.append(("   " * (depth - 1) + "+- " if depth else "") + line)
            depth += 1
        stack.extend((child, depth) for child in reversed(operator.inputs))
    return "\n".join(lines)
