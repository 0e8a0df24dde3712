"""Signatures of state: what an operator keeps, in words that do not depend on aliases, on the positions of columns or on the operators beside it.

A signature has all fields of a node (``facts``), the columns of its inputs, and which rows these have: all that is below, but for projections and, over
rows that are only inserted, conditions. A column is named by its origin: ``db.orders.qty``, or the expression that computes it from such columns. After a node
with several inputs that read one table, an origin says which input it is from. So a statement may be changed wherever that does not change what is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from table_api.delegation import StreamPlan
from table_api.operations import (
    AggregateQueryOperation,
    CorrelateQueryOperation,
    DistinctQueryOperation,
    ExternalQueryOperation,
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    JoinType,
    LookupJoinQueryOperation,
    Operation,
    ProcessTableFunctionQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetQueryOperation,
    SinkModifyOperation,
    SortQueryOperation,
    SourceQueryOperation,
    ToChangelogQueryOperation,
    UnnestQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    ChangelogNormalizeQueryOperation,
    DeduplicateQueryOperation,
    DropUpdateBeforeQueryOperation,
    RankQueryOperation,
)
from table_api.plan.changelog.signature_fields import Facts, shortened
from table_common.configuration import TableConfigOptions
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.tree import by_class, children_of, inputs_first, preorder
from table_common.types import LocalZonedTimestampType

Signature = Mapping[str, Any]
"""A JSON object: ``version``, ``operator``, ``details`` (facts by field), ``rows`` of each input; of an aggregate its ``keys`` and ``values``, each a list of text and
types; of other operators the columns of the ``inputs``, as pairs of text and type, and the ``changes`` of the rows of each.
"""

_VERSION = 2
"""Signatures of version 1, which had no number, did not say all that state depends on."""

_SAME_ROWS = (ProjectQueryOperation, WatermarkQueryOperation, DropUpdateBeforeQueryOperation)
"""Nodes whose rows are those of their input."""
_ROWS_WITHOUT_COLUMNS = (
    FromChangelogQueryOperation,
    JoinQueryOperation,
    LookupJoinQueryOperation,
    ToChangelogQueryOperation,
    UnnestQueryOperation,
    VersionedJoinQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
"""Nodes whose facts and inputs say which rows they give, whatever columns the rows have."""
_SAME_COLUMNS = (
    *_SAME_ROWS[1:],
    ChangelogNormalizeQueryOperation,
    DeduplicateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    SortQueryOperation,
)
"""Nodes whose columns are those of their input."""
_MORE_COLUMNS = (
    RankQueryOperation,
    UnnestQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
    LookupJoinQueryOperation,
)
"""Nodes that add columns after those of their input."""
_JOINS = (JoinQueryOperation, VersionedJoinQueryOperation, CorrelateQueryOperation)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the result of a node: the origins of its columns, which rows it has, and the tables that it reads."""

    origins: tuple[str, ...]
    rows: str
    tables: frozenset[str]


class Signatures:
    """The signatures of the nodes of one plan; ``settings`` are those that expressions depend on (``expression_settings``).

    Example:
        >>> from table_api.delegation import StreamPlan
        >>> from table_api.operations.changelog import INSERT_ONLY
        >>> rows = env.sql_query("SELECT DISTINCT a FROM (VALUES (1), (2)) AS t (a)").query_operation
        >>> plan = StreamPlan((), {id(node): INSERT_ONLY for node in (rows, *rows.children, *rows.children[0].children)}, {}, {})
        >>> Signatures(plan, {"table.local-time-zone": "UTC"}).of(rows)["operator"]
        'Distinct'
    """

    def __init__(self, plan: StreamPlan, settings: Mapping[str, str]) -> None:
        self._plan = plan
        self._settings = settings
        self._known: dict[int, _Known] = {}

    def of(self, node: QueryOperation) -> Signature:
        """Returns the signature of a query node."""
        inputs = self._inputs_of(node)
        signature = {"version": _VERSION, "operator": _kind(node), "details": self._details(node), "rows": [known.rows for known in inputs]}
        return {**signature, **_kept(node, self)}

    def of_sink(self, node: SinkModifyOperation) -> Signature:
        """Returns the signature of the operator that keeps the rows of a sink by its primary key."""
        inputs = self._inputs_of(node)
        details = self._facts(node).of_fields(node)
        return {
            "version": _VERSION,
            "operator": _kind(node),
            "details": details,
            "rows": [known.rows for known in inputs],
            **self._rows_kept(node),
        }

    def _rows_kept(self, node: Operation) -> Mapping[str, Any]:
        inputs = children_of(node, QueryOperation)
        columns = [
            [[origin, str(column.data_type)] for origin, column in zip(known.origins, child.resolved_schema.columns, strict=True)]
            for child, known in zip(inputs, self._inputs_of(node), strict=True)
        ]
        return {"inputs": columns, "changes": [self._changes(child) for child in inputs]}

    def _changes(self, node: QueryOperation) -> str:
        """Returns the changes of an input, and the columns by which its updated rows are known: they say how rows are kept."""
        changes, key = self._plan.changes_of(node), self._plan.upsert_key_of(node)
        if changes.is_insert_only:
            return str(changes)
        origins = self._knowledge(node).origins
        return f"{changes} by {'all columns' if key is None else [origins[position] for position in key]}"

    def _details(self, node: QueryOperation) -> dict[str, str]:
        """Returns the facts of a node by field, with the time zone where it counts."""
        details = _details(node, self)
        if hasattr(node, "window") and any(
            isinstance(column.data_type, LocalZonedTimestampType)
            for child in children_of(node, QueryOperation)
            for column in child.resolved_schema.columns
        ):
            details["timeZone"] = self._settings[TableConfigOptions.LOCAL_TIME_ZONE.key]  # windows of points in time are on local clocks
        return details

    def _pushed(self, node: SourceQueryOperation) -> Mapping[str, str]:
        """Returns the pushed abilities that say more than a projection or a filter above: conditions count if rows are updated or deleted."""
        facts = Facts(lambda reference: reference.name, self._settings)
        keeps_inserts = self._plan.changes_of(node).is_insert_only
        return {
            type(ability).__name__: shortened(facts.text(ability))
            for ability in node.pushed.abilities
            if ability.reduces_rows or (ability.chooses_rows and not keeps_inserts)
        }

    def _facts(self, node: Operation) -> Facts:
        inputs = [known.origins for known in self._inputs_of(node)]
        if isinstance(node, LookupJoinQueryOperation):  # its other input is the table that is looked up
            found = Facts(lambda reference: f"{node.side.table}.{reference.name}", self._settings)
            inputs.append(tuple(found.text(column) for column in node.side.projection))

        def origin(reference: FieldReferenceExpression) -> str:
            if reference.input_index < len(inputs) and reference.field_index < len(inputs[reference.input_index]):
                return inputs[reference.input_index][reference.field_index]
            return f"{reference.name}#{reference.input_index}.{reference.field_index}"

        return Facts(origin, self._settings)

    def _inputs_of(self, node: Operation) -> list[_Known]:
        """Returns what is known of the inputs; if several read one table, their columns say which input they are from."""
        inputs = [self._knowledge(child) for child in children_of(node, QueryOperation)]
        if len(inputs) < 2 or len(frozenset().union(*(known.tables for known in inputs))) == sum(len(known.tables) for known in inputs):
            return inputs
        return [
            _Known(tuple(f"{side}/{origin}" for origin in known.origins), known.rows, known.tables) for side, known in enumerate(inputs, 1)
        ]

    def _knowledge(self, root: QueryOperation) -> _Known:
        if id(root) not in self._known:
            for node in inputs_first([root], QueryOperation):
                if id(node) not in self._known:
                    inputs = self._inputs_of(node)
                    tables = frozenset().union(*(known.tables for known in inputs)) if inputs else frozenset({_leaf(node)})
                    origins = tuple(map(shortened, _origins(node, self)))
                    self._known[id(node)] = _Known(origins, shortened(_rows(node, self)), tables)
        return self._known[id(root)]

    def _rows_by(self, node: QueryOperation, columns: Iterable[str] = ()) -> str:
        """Returns in words that the rows are what a node makes of those of its inputs, and further facts."""
        facts = [f"{name}={text}" for name, text in self._details(node).items()]
        return f"{_kind(node)}({', '.join([*facts, *columns, *(known.rows for known in self._inputs_of(node))])})"

    def _origins_of_inputs(self, node: QueryOperation) -> list[tuple[str, ...]]:
        return [known.origins for known in self._inputs_of(node)]


@by_class
def _kept(node: QueryOperation, of: Signatures) -> Mapping[str, Any]:
    """Returns the entries of a signature that say what an operator keeps."""
    return of._rows_kept(node)


@by_class
def _details(node: QueryOperation, of: Signatures) -> dict[str, str]:
    """Returns the facts of a node by field."""
    return of._facts(node).of_fields(node)


@by_class
def _leaf(node: QueryOperation) -> str:
    """Returns what the rows of a node without inputs are read from."""
    return _kind(node)


@by_class
def _rows(node: QueryOperation, of: Signatures) -> str:
    """Returns in words which rows a node gives: those of its inputs, and what it does with them."""
    if isinstance(node, _SAME_ROWS):
        return of._inputs_of(node)[0].rows
    if isinstance(node, _ROWS_WITHOUT_COLUMNS):
        return of._rows_by(node)
    return of._rows_by(node, [f"columns={list(origins)}" for origins in of._origins_of_inputs(node)])


@by_class
def _origins(node: QueryOperation, of: Signatures) -> Sequence[str]:
    """Returns the origins of the columns of a node. A column of a node that is not known here is named by all that the node and its inputs are."""
    inputs = of._origins_of_inputs(node)
    columns = node.resolved_schema.columns
    if isinstance(node, _SAME_COLUMNS):
        return inputs[0]
    if isinstance(node, _JOINS):
        is_half = node.join_type in (JoinType.SEMI, JoinType.ANTI)
        return inputs[0] if is_half else [origin for origins in inputs for origin in origins]
    if not inputs:
        return [f"{_kind(node)}.{column.name}" for column in columns]
    below = inputs[0] if isinstance(node, _MORE_COLUMNS) else ()
    told = f"{_kind(node)}({', '.join(f'{name}={text}' for name, text in of._details(node).items())}; {_rows(node, of)})"
    return [*below, *(f"{told}.{number}" for number in range(len(columns) - len(below)))]


@_kept.register(WatermarkQueryOperation)
def _times(node: WatermarkQueryOperation, of: Signatures) -> Mapping[str, Any]:
    return {"inputs": [], "changes": []}  # it keeps no rows, only times


@_rows.register(FilterQueryOperation)
def _rows_of_filter(node: FilterQueryOperation, of: Signatures) -> str:
    # What a condition has left out stays so, and it is not retracted. Where rows are retracted, that depends on the condition.
    rows = of._inputs_of(node)[0].rows
    return rows if of._plan.changes_of(node.child).is_insert_only else f"{rows} where {of._facts(node).text(node.condition)}"


@_origins.register(ProjectQueryOperation)
def _origins_of_project(node: ProjectQueryOperation, of: Signatures) -> Sequence[str]:
    facts = of._facts(node)
    return [facts.text(expression) for expression in node.projection]


@_kept.register(AggregateQueryOperation)
def _groups(node: AggregateQueryOperation, of: Signatures) -> Mapping[str, Any]:
    """Returns keys and values with their types: a key has one; a value that of the result, then those of the columns that the call reads."""
    facts = of._facts(node)
    values = [
        [facts.text(call), str(call.output_type), *(str(column.output_type) for column in _columns(call))] for call in node.aggregates
    ]
    return {"keys": [[facts.text(key), str(key.output_type)] for key in node.grouping], "values": values}


@_details.register(ExternalQueryOperation)  # type: ignore[type-abstract]
def _details_of_external(node: ExternalQueryOperation, of: Signatures) -> dict[str, str]:
    # What it refers to is an object of this process: a later one has another, of which only the columns can be compared.
    return {name: str(value) for name, value in node.summary_details()}


@_details.register(ProcessTableFunctionQueryOperation)
def _details_of_process(node: ProcessTableFunctionQueryOperation, of: Signatures) -> dict[str, str]:
    # A name for its state says that the author keeps it, whatever the scalars are.
    return of._facts(node).of_fields(node, *(("scalars",) if node.uid is not None else ()))


@_details.register(AggregateQueryOperation)
def _details_of_aggregate(node: AggregateQueryOperation, of: Signatures) -> dict[str, str]:
    # Keys and calls are beside the facts by field: they may have another order, and calls may be left out.
    return of._facts(node).of_fields(node, "grouping", "aggregates")


@_rows.register(AggregateQueryOperation)
def _rows_of_aggregate(node: AggregateQueryOperation, of: Signatures) -> str:
    # One row per group, whatever is aggregated.
    return of._rows_by(node, [f"by={sorted(of._facts(node).text(key) for key in node.grouping)}"])


@_origins.register(AggregateQueryOperation)
def _origins_of_aggregate(node: AggregateQueryOperation, of: Signatures) -> Sequence[str]:
    groups = _groups(node, of)
    keys = [text for text, *_ in groups["keys"]]
    by = ", ".join(sorted(keys))
    details = "".join(f" {name}={text}" for name, text in of._details(node).items())
    called = [f"{text} BY ({by}){details}" for text, *_ in groups["values"]]
    return [*keys, *called, f"grouping id BY ({', '.join(keys)}){details}"][: len(node.resolved_schema.columns)]


@_rows.register(DistinctQueryOperation)
def _rows_of_distinct(node: DistinctQueryOperation, of: Signatures) -> str:
    return of._rows_by(node, [f"columns={sorted(of._origins_of_inputs(node)[0])}"])


@_rows.register(SetQueryOperation)
def _rows_of_set(node: SetQueryOperation, of: Signatures) -> str:
    origins = () if node.is_union_all else of._origins_of_inputs(node)
    return of._rows_by(node, [f"columns={list(one)}" for one in origins])


@_origins.register(SetQueryOperation)
def _origins_of_set(node: SetQueryOperation, of: Signatures) -> Sequence[str]:
    inputs = of._origins_of_inputs(node)
    return [f"({' | '.join(origins)})" if len(set(origins)) > 1 else origins[0] for origins in zip(*inputs, strict=True)]


@_origins.register(FromChangelogQueryOperation)
def _origins_of_changes(node: FromChangelogQueryOperation, of: Signatures) -> Sequence[str]:
    return [origin for position, origin in enumerate(of._origins_of_inputs(node)[0]) if position != node.op.field_index]


@_origins.register(ToChangelogQueryOperation)
def _origins_with_op(node: ToChangelogQueryOperation, of: Signatures) -> Sequence[str]:
    return [f"op of {_rows(node, of)}", *of._origins_of_inputs(node)[0]]


@_details.register(SourceQueryOperation)
def _details_of_scan(node: SourceQueryOperation, of: Signatures) -> dict[str, str]:
    return {**of._facts(node).of_fields(node), **of._pushed(node)}


@_leaf.register(SourceQueryOperation)
def _table(node: SourceQueryOperation) -> str:
    return node.table.identifier.as_summary_string()


@_rows.register(SourceQueryOperation)
def _rows_of_scan(node: SourceQueryOperation, of: Signatures) -> str:
    facts = [f"{name}={text}" for name, text in of._details(node).items()]
    return f"({', '.join(facts)})" if len(facts) > 1 else _table(node)


def _kind(node: Operation) -> str:
    return type(node).__name__.removesuffix("Operation").removesuffix("Query").removesuffix("Modify")


def _columns(call: Any) -> list[FieldReferenceExpression]:
    return [
        part
        for expression in children_of(call, ResolvedExpression)
        for part in preorder(expression, ResolvedExpression)
        if isinstance(part, FieldReferenceExpression)
    ]


@_origins.register(SourceQueryOperation)
def _scanned(node: SourceQueryOperation, of: Signatures) -> list[str]:
    """Returns the columns of a table by their names, a metadata column with its key, a nested field with its path."""
    table = node.table.identifier.as_summary_string()
    keys = {column.name: column.metadata_key for column in node.metadata_columns}
    names: Sequence[str] = node.resolved_schema.column_names
    readable = (*node.physical_schema.columns, *node.metadata_columns)
    for ability in node.pushed.abilities:
        origins = ability.origins(readable)
        if origins is not None and len(origins) == len(names):
            names = origins
    return [f"{table}.{name}" + (f" FROM {keys[name]}" if keys.get(name) else "") for name in names]
