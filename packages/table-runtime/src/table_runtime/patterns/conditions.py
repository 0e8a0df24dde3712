"""Conditions of variables: a condition over one row is evaluated for a whole batch, other conditions row by row.

In a condition over several rows, subexpressions that depend on one row only are evaluated for the whole batch, too. For each row and
partial match only the lookup of these values and their comparison remains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.tree import fold, transform_down
from table_runtime.columns.batches import make_batch
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.expressions.program import Program
from table_runtime.patterns.partial_match import Firsts, rows_in_condition
from table_runtime.patterns.pattern import ABSENT, ANY, Aggregate, MatchExpression, Navigation
from table_runtime.patterns.range_aggregate import RangeAggregate
from table_runtime.patterns.scalar_program import NeedsKernels, condition_source, to_python_values

if TYPE_CHECKING:
    from table_runtime.patterns.row_conditions import AskRows

Ask = Callable[[Firsts, int, int], bool]
"""Maps (first rows of the variables, first row of the match, candidate row) to whether the candidate row satisfies the condition."""


class Condition:
    """The condition of one variable."""

    def bind(self, batch: pa.RecordBatch) -> bytes | Ask:
        """Returns the condition for the batch: one byte per row, 1 where it is true, or a function that evaluates it per row."""
        raise NotImplementedError

    def bind_rows(self, batch: pa.RecordBatch) -> AskRows | None:
        """Returns a function that evaluates the condition for many partial matches at once, by numpy; None if there is none."""
        return None


def make_condition(variable: int, expression: MatchExpression, context: EvaluationContext) -> Condition:
    """Returns the condition of the variable at a position of the pattern."""
    if all(isinstance(value, Navigation) and _is_current(value, variable) for value in expression.values):
        return RowCondition(expression, context)
    return MatchCondition(variable, expression, context)


def _is_current(value: Navigation, variable: int) -> bool:
    return value.variable in (ANY, variable) and not value.from_first and value.offset == 0


class RowCondition(Condition):
    """A condition that depends on the candidate row only."""

    def __init__(self, expression: MatchExpression, context: EvaluationContext) -> None:
        self._evaluator = Evaluator((_over_input(expression.expression, expression.values),), context)

    def bind(self, batch: pa.RecordBatch) -> bytes | Ask:
        try:
            holds = pc.cast(self._evaluator.evaluate_filter(batch), pa.uint8())
            return bytes(memoryview(holds.buffers()[1] or b"")[holds.offset : holds.offset + len(holds)])
        except TableRuntimeException:
            # The condition fails for a row that may never be a candidate of this variable, so it is evaluated per row.
            return lambda _firsts, _start, row: bool(self._evaluator.evaluate_filter(batch.slice(row, 1))[0].as_py())


class _RowPart(NamedTuple):
    """An expression over one row, and the navigation to that row."""

    navigation: Navigation
    expression: ResolvedExpression


class MatchCondition(Condition):
    """A condition that depends on other rows of the match."""

    def __init__(self, variable: int, expression: MatchExpression, context: EvaluationContext) -> None:
        self._variable = variable
        parts, remaining = _split(expression, variable)
        self._parts = parts
        self._rows = Evaluator(tuple(part.expression for part in parts if isinstance(part, _RowPart)), context)
        self._aggregates = [RangeAggregate(part, context) if isinstance(part, Aggregate) else None for part in parts]
        written = condition_source(remaining, self._part_source)
        self._code = None if written is None else compile(f"lambda f, s, r: {written[0]}", "<condition>", "eval")
        self._names = {} if written is None else written[1]
        self._evaluator = Evaluator((remaining,), context)
        types = [part.spec.arrow_type if isinstance(part, Aggregate) else to_arrow_type(part.expression.output_type) for part in parts]
        self._schema = pa.schema([pa.field(str(index), type_) for index, type_ in enumerate(types)])

    def bind(self, batch: pa.RecordBatch) -> bytes | Ask:
        computed = iter(zip(self._rows.evaluate(batch), self._rows.evaluate(_nulls(batch.schema)), strict=True))
        columns = [next(computed) if isinstance(part, _RowPart) else None for part in self._parts]
        slow = self._by_kernels(batch, columns)
        names = dict(self._names)
        for index, (part, column) in enumerate(zip(self._parts, columns, strict=True)):
            part_values = self._part_values(index, part, batch, column)
            if part_values is None:
                return slow
            names |= part_values
        if self._code is None:
            return slow
        fast: Ask = eval(self._code, names)  # the source has names of values and operators only

        def ask(firsts: Firsts, start: int, row: int) -> bool:
            try:
                return fast(firsts, start, row)
            except NeedsKernels:
                return slow(firsts, start, row)

        return ask

    @override
    def bind_rows(self, batch: pa.RecordBatch) -> AskRows | None:
        navigations = [part.navigation for part in self._parts if isinstance(part, _RowPart)]
        if len(navigations) < len(self._parts):
            return None
        from table_runtime.patterns.row_conditions import ask_rows

        columns = list(zip(self._rows.evaluate(batch), self._rows.evaluate(_nulls(batch.schema)), strict=True))
        return ask_rows(self._variable, navigations, columns, self._evaluator, self._schema)

    def _part_values(
        self, index: int, part: _RowPart | Aggregate, batch: pa.RecordBatch, column: tuple[pa.Array, pa.Array] | None
    ) -> dict[str, Any] | None:
        """Returns the values of a part's names for this batch; None if Python cannot represent them."""
        if isinstance(part, Aggregate):
            aggregate = self._aggregates[index]
            assert aggregate is not None
            running = aggregate.running(batch)
            return None if running is None else {f"g{index}": running}
        assert column is not None
        values, missing = to_python_values(column[0]), to_python_values(column[1])
        return None if values is None or missing is None else {f"v{index}": values, f"n{index}": missing[0]}

    def _part_source(self, index: int) -> str:
        """Returns the source of a part's value, in which ``f``, ``s`` and ``r`` are the arguments of ``Ask``."""
        part, current = self._parts[index], self._variable
        variable = part.variable if isinstance(part, Aggregate) else part.navigation.variable
        if variable == ANY:
            first, end = "s", "r + 1"
        elif variable == current:
            first, end = f"(f[{current}] if f[{current}] >= 0 else r)", "r + 1"
        elif variable == ABSENT or variable > current:
            first, end = "0", "0"
        else:
            following = "".join(f"f[{later}] if f[{later}] >= 0 else " for later in range(variable + 1, current + 1))
            first, end = f"f[{variable}]", f"({following}r)"
        if isinstance(part, Aggregate):
            has_rows = "True" if variable in (ANY, current) else f"f[{variable}] >= 0" if end != "0" else "False"
            return f"(g{index}({first}, {end}) if {has_rows} else g{index}(0, 0))"
        navigation = part.navigation
        if _is_current(navigation, current):
            return f"v{index}[r]"
        if end == "0":
            return f"n{index}"
        place = f"{first} + {navigation.offset}" if navigation.from_first else f"{end} - {navigation.offset + 1}"
        limit = f"i{index} < {end}" if navigation.from_first else f"i{index} >= {first}"
        has_rows = "" if variable in (ANY, current) else f"f[{variable}] >= 0 and "
        return f"(v{index}[i{index}] if {has_rows}(i{index} := {place}) >= 0 and {limit} else n{index})"

    def _by_kernels(self, batch: pa.RecordBatch, columns: Sequence[tuple[pa.Array, pa.Array] | None]) -> Ask:
        places = [_place(part.navigation, self._variable) if isinstance(part, _RowPart) else None for part in self._parts]

        def ask(firsts: Firsts, start: int, row: int) -> bool:
            values = []
            for part, aggregate, column, place in zip(self._parts, self._aggregates, columns, places, strict=True):
                if isinstance(part, Aggregate):
                    assert aggregate is not None
                    first, end = rows_in_condition(part.variable, self._variable, start, row, firsts)
                    values.append(aggregate.over(batch.slice(first, end - first), [0], [end - first], _never))
                    continue
                assert column is not None
                assert place is not None
                position = place(firsts, start, row)
                values.append(column[1] if position < 0 else column[0].slice(position, 1))
            return bool(self._evaluator.evaluate_filter(make_batch(values, self._schema, 1))[0].as_py())

        return ask


def _place(navigation: Navigation, current: int) -> Callable[[Firsts, int, int], int]:
    """Returns a function that computes the position of the row, -1 if there is none."""
    variable, offset = navigation.variable, navigation.offset

    def from_first(firsts: Firsts, start: int, row: int) -> int:
        first, end = rows_in_condition(variable, current, start, row, firsts)
        return first + offset if first + offset < end else -1

    def from_last(firsts: Firsts, start: int, row: int) -> int:
        first, end = rows_in_condition(variable, current, start, row, firsts)
        return end - 1 - offset if end - 1 - offset >= first else -1

    return from_first if navigation.from_first else from_last


def _split(expression: MatchExpression, variable: int) -> tuple[list[_RowPart | Aggregate], ResolvedExpression]:
    """Returns the parts of the condition, and the remaining expression over the parts.

    The parts are maximal infallible subexpressions over one row, and aggregates.
    """
    used: dict[int, frozenset[Any]] = {}
    values = expression.values

    def collect(node: ResolvedExpression, children: Sequence[frozenset[Any]]) -> frozenset[Any]:
        rows = frozenset[Any]().union(*children)
        if isinstance(node, FieldReferenceExpression):
            value = values[node.field_index]
            rows = frozenset({_row_of(value, variable) if isinstance(value, Navigation) else node.field_index})
        elif isinstance(node, CallExpression) and not node.function.is_deterministic:
            rows |= {id(node)}
        used[id(node)] = rows
        return rows

    fold(expression.expression, ResolvedExpression, collect)
    parts: dict[_RowPart | int, int] = {}

    def change(node: ResolvedExpression) -> ResolvedExpression:
        rows = used.get(id(node), frozenset())
        row = next(iter(rows)) if len(rows) == 1 else None
        if isinstance(row, Navigation):
            computed = _over_input(node, values)
            if isinstance(node, FieldReferenceExpression) or _is_infallible(computed):
                return _column(node, parts.setdefault(_RowPart(row, computed), len(parts)))
        if isinstance(node, FieldReferenceExpression):
            return _column(node, parts.setdefault(node.field_index, len(parts)))
        return node

    remaining = transform_down(expression.expression, ResolvedExpression, change)
    resolved: list[_RowPart | Aggregate] = []
    for part in parts:
        if isinstance(part, _RowPart):
            resolved.append(part)
            continue
        value = values[part]
        assert isinstance(value, Aggregate)
        resolved.append(value)
    return resolved, remaining


def _row_of(value: Navigation, variable: int) -> Navigation:
    """Returns the navigation to the row without a column, which is equal for all columns of the row."""
    return Navigation(ANY if _is_current(value, variable) else value.variable, -1, value.from_first, value.offset)


def _column(node: ResolvedExpression, place: int) -> FieldReferenceExpression:
    return FieldReferenceExpression(f"part {place}", node.output_type, 0, place)


def _over_input(expression: ResolvedExpression, values: Sequence[Any]) -> ResolvedExpression:
    """Returns the expression with references to the input's columns instead of to ``values``."""

    def change(node: ResolvedExpression) -> ResolvedExpression:
        if not isinstance(node, FieldReferenceExpression):
            return node
        return FieldReferenceExpression(node.name, node.output_type, 0, values[node.field_index].column)

    return transform_down(expression, ResolvedExpression, change)


def _is_infallible(expression: ResolvedExpression) -> bool:
    program = Program((expression,), (), {})
    return program.steps[program.roots[0]].is_infallible


def _nulls(schema: pa.Schema) -> pa.RecordBatch:
    """Returns one row of NULLs."""
    return make_batch([pa.nulls(1, field.type) for field in schema], schema, 1)


def _never() -> None:
    """Nothing can stop the computation of one value."""
