"""The base class of aggregate functions: a state per group, which is built from rows, merged, and converted to the result.

States are Arrow columns of any type with one row per group. Each batch is reduced to partial states; the states of a group are merged in
the order of the input. NULL arguments are ignored unless the function documents otherwise.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.types import LogicalType


class Reduction(NamedTuple):
    """An aggregation by Arrow: a column (None for ``count_all``), the function's name without ``hash_``, and its options."""

    column: pa.Array | None
    function: str
    options: Any = None


@dataclass(frozen=True, slots=True)
class AggregateSpec:
    """An aggregate call: its name in messages, the types of its arguments and result, and its constant arguments."""

    name: str
    argument_types: tuple[LogicalType, ...]
    output_type: LogicalType
    constants: tuple[Any, ...] = ()
    orders: tuple[tuple[bool, bool], ...] = ()
    """(ascending, nulls first) of each order key; the key columns follow the arguments."""

    @property
    def arrow_type(self) -> pa.DataType:
        """The Arrow type of the result."""
        return to_arrow_type(self.output_type)


class Accumulator(ABC):
    """One aggregate call; stateless, so several threads may use it."""

    is_user_defined: ClassVar[bool] = False
    """Whether a user's function computes the call."""
    ignores_nulls: ClassVar[bool] = True
    """Whether rows with a NULL first argument are ignored; if so, FILTER is applied by setting arguments to NULL."""

    def __init__(self, spec: AggregateSpec) -> None:
        self.spec = spec

    @abstractmethod
    def reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        """Returns the reductions from rows to partial states; ``args`` are the argument columns."""

    def state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns the state columns of the groups from the results of the reductions."""
        return reduced

    def partial_reductions(self, args: Sequence[pa.Array], rows: int) -> list[Reduction]:
        """Returns reductions like ``reductions``, or cheaper ones where the values of the arguments allow it; only ``partial_state`` takes their results."""
        return self.reductions(args, rows)

    def partial_state(self, reduced: list[pa.Array], args: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns the state columns, which are of the same types for all batches, from the results of ``partial_reductions``."""
        return self.state(reduced, args)

    @abstractmethod
    def merge_reductions(self, state: Sequence[pa.Array]) -> list[Reduction]:
        """Returns the reductions that merge states; several rows of ``state`` may belong to a group."""

    def merged(self, reduced: list[pa.Array], state: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns the merged state columns from the results of the merge reductions."""
        return reduced

    @abstractmethod
    def finish(self, state: Sequence[pa.Array]) -> pa.Array:
        """Returns the results, one per group.

        Raises:
            TableRuntimeException: a result does not fit its type.
        """

    def over_nothing(self) -> Any:
        """Returns the result over no rows, as a Python value."""
        return None

    def argument_text(self, columns: Sequence[str]) -> str:
        """Returns the text of the arguments in messages; ``columns`` are the names of the argument columns."""
        return ", ".join(columns)


AccumulatorTable = Mapping[FunctionDefinition, Callable[[AggregateSpec], Accumulator]]
"""What creates the accumulator of a call, by its function: the table ``ACCUMULATORS`` of each file of accumulators."""
