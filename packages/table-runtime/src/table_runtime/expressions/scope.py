"""The rows for which an expression is evaluated: a batch, or the rows of it that reach a branch."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass

_MOST = 0.8
"""The share of selected rows from which on filtering by the mask is cheaper than taking the positions."""


class Scope:
    """Rows with their columns and the values computed for them so far."""

    __slots__ = ("_all_values", "_batch", "_columns", "_mask", "_parent", "_selection", "_values", "num_rows")

    def __init__(self, batch: Any, num_rows: int, parent: Scope | None = None, selection: Any = None, mask: Any = None) -> None:
        self._batch = batch
        self._columns: dict[int, Any] = {}
        self._values: dict[int, Any] = {}
        self._parent = parent
        self._selection = selection
        self._mask = mask
        # The values of all scopes within the outermost one. It does not refer to the scopes: a cycle would keep the rows of each batch for long.
        self._all_values: list[dict[int, Any]] = [] if parent is None else parent._all_values
        self._all_values.append(self._values)
        self.num_rows = num_rows

    def narrow(self, mask: Any) -> Scope:
        """Returns the scope of the rows for which ``mask``, a boolean array without nulls, is true."""
        positions = pc.indices_nonzero(mask)
        if len(positions) == self.num_rows:
            return self
        return Scope(None, len(positions), self, positions, mask)

    def _selected(self, values: Any) -> Any:
        """Returns the values of the enclosing scope for the rows of this one."""
        if self.num_rows > _MOST * len(self._mask):
            return pc.filter(values, self._mask)
        return pc.take(values, self._selection)

    def size_of_values(self) -> int:
        """Returns the size in bytes of the values computed for the outermost scope and all scopes within it."""
        return sum(value.nbytes for values in self._all_values for value in values.values() if not isinstance(value, pa.Scalar))

    def column(self, index: int) -> Any:
        """Returns a column of the input for the rows of this scope."""
        chain: list[Scope] = []
        scope = self
        while (values := scope._columns.get(index)) is None:
            if scope._parent is None:
                values = scope._columns[index] = scope._batch.column(index)
                break
            chain.append(scope)
            scope = scope._parent
        for inner in reversed(chain):
            values = inner._columns[index] = inner._selected(values)
        return values

    def find(self, step: int) -> Any:
        """Returns the value of a step if this scope or an enclosing one has computed it, else None."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            value = scope._values.get(step)
            if value is not None:
                for inner in reversed(chain):
                    value = value if isinstance(value, pa.Scalar) else inner._selected(value)
                    inner._values[step] = value
                return value
            chain.append(scope)
            scope = scope._parent
        return None

    def keep(self, step: int, value: Any) -> None:
        """Stores the value of a step."""
        self._values[step] = value


@dataclass(frozen=True, slots=True)
class Request:
    """A step that a short-circuit form requests for the rows of a scope."""

    scope: Scope
    step: int
