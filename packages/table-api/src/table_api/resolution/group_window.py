"""Windows in GROUP BY: ``GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)`` with ``TUMBLE_START(…)`` in SELECT.

The window becomes a window table function below the aggregate, which groups by the window's start; end and time are computed from the
start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from table_api import operations
from table_api.delegation import Session
from table_api.operations import ProjectQueryOperation, QueryOperation
from table_api.resolution.casting import cast_to, same_type
from table_api.resolution.sorted_projection import references_to
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import temporal
from table_common.functions.builtin import windows as fn
from table_common.tree import preorder, transform_down
from table_common.types import is_proctime

if TYPE_CHECKING:
    from table_api.operations import WindowAssigner

PositionOf = Callable[[ResolvedExpression], SourcePosition | None]


class WindowFunctions(NamedTuple):
    """A window function of GROUP BY with its auxiliary functions (start, end, time), and the name of its class in ``operations``."""

    kind: str
    start: FunctionDefinition
    end: FunctionDefinition
    rowtime: FunctionDefinition
    proctime: FunctionDefinition


GROUP_WINDOWS: dict[FunctionDefinition, WindowFunctions] = {
    fn.TUMBLE: WindowFunctions("TumbleWindow", fn.TUMBLE_START, fn.TUMBLE_END, fn.TUMBLE_ROWTIME, fn.TUMBLE_PROCTIME),
    fn.HOP: WindowFunctions("HopWindow", fn.HOP_START, fn.HOP_END, fn.HOP_ROWTIME, fn.HOP_PROCTIME),
    fn.SESSION: WindowFunctions("SessionWindow", fn.SESSION_START, fn.SESSION_END, fn.SESSION_ROWTIME, fn.SESSION_PROCTIME),
}
_PROPERTIES = {
    function: window for window, kind in GROUP_WINDOWS.items() for function in (kind.start, kind.end, kind.rowtime, kind.proctime)
}
"""Auxiliary functions, each with the window function of GROUP BY it belongs to."""
_NAMES = ("$window_start", "$window_end", "$window_time")


def is_window_property(expression: ResolvedExpression) -> bool:
    """Returns whether an expression is a call of an auxiliary function, such as TUMBLE_START."""
    return isinstance(expression, CallExpression) and expression.function in _PROPERTIES


@dataclass(frozen=True, slots=True)
class WindowedGroups:
    """The input, the grouping expressions, and the expressions over the groups."""

    child: QueryOperation
    group_by: list[ResolvedExpression]
    grouping_sets: tuple[tuple[int, ...], ...] | None
    expressions: list[ResolvedExpression]


def with_group_window(session: Session, given: WindowedGroups, position_of: PositionOf) -> WindowedGroups:
    """Returns the groups with the window of GROUP BY replaced by a column; unchanged if there is no window.

    Raises:
        ValidationException: there is more than one window, or a window is used where it is not allowed.
    """
    calls = [e for e in given.group_by if isinstance(e, CallExpression) and e.function in GROUP_WINDOWS]
    if not calls:
        return given
    if len(calls) > 1:
        raise ValidationException(f"GROUP BY takes one window, but got {calls[0]} and {calls[1]}.", position=position_of(calls[1]))
    try:
        return _with_window(session, given, calls[0], position_of)
    except (ValidationException, TableException) as error:
        raise error.at(position_of(calls[0])) from None


def _with_window(session: Session, given: WindowedGroups, call: CallExpression, position_of: PositionOf) -> WindowedGroups:
    kind = GROUP_WINDOWS[call.function]
    place = given.group_by.index(call)
    if given.grouping_sets is not None and not all(place in one for one in given.grouping_sets):
        raise ValidationException(f"{call.function.name} in GROUP BY must be in every grouping set.")
    assigner: type[WindowAssigner] = getattr(operations, kind.kind)
    is_session = call.function is fn.SESSION
    if is_session and given.grouping_sets is not None:
        raise ValidationException("SESSION in GROUP BY cannot be combined with grouping sets.")
    names = [name for name, _ in assigner.parameters()]
    from table_api.resolution.window_table_function import length_of, window_table  # few queries have windows of time

    lengths = [length_of(arg, assigner, name) for arg, name in zip(call.args[1:], names, strict=False)]
    keys = [e for e in given.group_by if e is not call] if is_session else []
    child, (time, *partition_by) = _columns(given.child, [call.args[0], *keys])
    windowed = window_table(session, child, assigner(*lengths), time, partition_by, _NAMES)

    width = len(child.resolved_schema.columns)
    columns = [replace(r, name=name) for r, name in zip(references_to(windowed.resolved_schema)[width:], _NAMES, strict=True)]
    # The result is nullable like the time column, although rows whose time is NULL are in no window.
    columns[2] = replace(columns[2], output_type=call.args[0].output_type)
    results = dict(zip((kind.start, kind.end, kind.rowtime), columns, strict=True))
    # Start and end make a window group, which streaming mode emits once; without SESSION the start alone tells groups apart.
    used: set[FunctionDefinition] = {kind.start, kind.end} if session.is_streaming_mode else {kind.start}

    def change(node: ResolvedExpression) -> ResolvedExpression:
        if not isinstance(node, CallExpression) or node.function not in _PROPERTIES:
            return node
        if _PROPERTIES[node.function] is not call.function or node.args != call.args:
            raise ValidationException(f"{node} refers to a window that is not in GROUP BY, which has {call}.", position=position_of(node))
        if node.function is kind.proctime:
            if not session.is_streaming_mode:
                raise TableException(f"{node.function.name} is for streaming mode.", position=position_of(node))
            return CallExpression(temporal.PROCTIME, (), node.output_type)
        if node.function is kind.rowtime and is_proctime(call.args[0].output_type):
            raise ValidationException(
                f"{node.function.name} needs a window over event time, but {call.args[0]} is processing time.", position=position_of(node)
            )
        used.add(node.function)
        result = results[node.function]
        return result if same_type(result.output_type, node.output_type) else cast_to(result, node.output_type)

    expressions = [transform_down(e, ResolvedExpression, change) for e in given.expressions]
    group_by = [results[kind.start] if e is call else e for e in given.group_by]
    added = [column for function, column in results.items() if function in used and function is not kind.start]
    sets = given.grouping_sets
    if sets is not None:
        sets = tuple((*one, *range(len(group_by), len(group_by) + len(added))) for one in sets)
    return WindowedGroups(windowed, [*group_by, *added], sets, expressions)


def _columns(child: QueryOperation, wanted: Sequence[ResolvedExpression]) -> tuple[QueryOperation, list[FieldReferenceExpression]]:
    """Returns the child, with a projection above it if an expression is not a column, and the columns of the expressions."""
    columns = list(references_to(child.resolved_schema))
    width = len(columns)
    computed: list[ResolvedExpression] = []
    result = []
    for expression in wanted:
        if isinstance(expression, FieldReferenceExpression):
            result.append(expression)
            continue
        result.append(FieldReferenceExpression(f"$f{len(computed)}", expression.output_type, 0, width + len(computed)))
        computed.append(expression)
    if computed:
        names = (*(column.name for column in columns), *(f"$f{i}" for i in range(len(computed))))
        child = ProjectQueryOperation((*columns, *computed), names, child)
    return child, result


def refuse_window_functions(expressions: Iterable[ResolvedExpression], position_of: PositionOf) -> None:
    """Refuses group window functions in a query without such a window.

    Raises:
        ValidationException: there is such a function; with its position.
    """
    for expression in expressions:
        for node in preorder(expression, ResolvedExpression):
            if isinstance(node, CallExpression) and node.function in _PROPERTIES:
                window = _PROPERTIES[node.function].name
                raise ValidationException(
                    f"{node.function.name} needs {window} in GROUP BY.",
                    position=position_of(node),
                    hint="with a window table function in FROM, use its columns window_start, window_end and window_time",
                )
            if isinstance(node, CallExpression) and node.function in GROUP_WINDOWS:
                raise ValidationException(
                    f"{node.function.name} can only be used in GROUP BY, or in FROM as TABLE({node.function.name}(TABLE …)).",
                    position=position_of(node),
                )
