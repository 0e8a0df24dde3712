"""Changelog inference: determines the changes on each edge of a streaming plan, as Flink does, in three passes.

Bottom-up, each node gets the kinds of changes that it emits (``changes``). Top-down, each node gets a strategy and demands on its inputs
(``demands``); consumers are decided before their inputs, so that a shared node meets the demands of all its consumers. Then the plan is
rebuilt: ChangelogNormalize nodes that no consumer needs are removed, and DropUpdateBefore nodes are added for consumers that need less.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import StreamPlan
from table_api.operations import ModifyOperation, QueryOperation, SinkModifyOperation, SourceQueryOperation
from table_api.operations.changelog import (
    Changes,
    DeleteKind,
    DropUpdateBeforeQueryOperation,
    ModifyKind,
    ModifyKindSet,
    UpdateKind,
    modify_kinds_of,
)
from table_api.plan.changelog.keys import unique_keys
from table_api.plan.changelog.sinks import sink_demands, with_materializer
from table_api.plan.facts.changelog_mode import mode_of
from table_api.plan.facts.key_columns import smallest_key
from table_api.plan.facts.record import Decision, Demand, InputFacts, Keys, decisions, facts_of
from table_common.configuration import ReadableConfig
from table_common.connector import RowKind
from table_common.exceptions import TableException, TableInternalError
from table_common.frozen_dataclass import replace
from table_common.functions import Monotonicity
from table_common.tree import children_of, inputs_first, map_children_of


def infer_changes(operations: Sequence[ModifyOperation], configuration: ReadableConfig) -> StreamPlan:
    """Returns the plan and the changes on each of its edges.

    Raises:
        ValidationException: a sink or an operator cannot consume the changes of its input, or a source of changes lacks a primary key.
    """
    inference = _Inference(operations, configuration)
    inference.find_kinds()
    inference.decide()
    return inference.build()


class _Inference:
    def __init__(self, operations: Sequence[ModifyOperation], configuration: ReadableConfig) -> None:
        self._operations = list(operations)
        self._configuration = configuration
        self._order = inputs_first([operation.child for operation in operations], QueryOperation)
        self._facts: dict[int, InputFacts] = {}
        self._demands: dict[int, Demand] = {}
        self._decisions: dict[int, Decision] = {}
        self._possible: dict[tuple[int, Demand], bool] = {}
        self._sink_demands: list[Demand] = []

    def find_kinds(self) -> None:
        """Derives the properties of each node: its kinds of changes, its keys, and the monotonicity of its columns."""
        keys: dict[int, Keys] = {}
        for operation in self._operations:
            keys.update(unique_keys(operation.child))
        columns: dict[int, Sequence[Monotonicity]] = {}
        for node in self._order:
            children = children_of(node, QueryOperation)
            inputs = [self._facts[id(child)].kinds for child in children]
            changes = facts_of(type(node)).changes
            if changes is None:
                raise TableException(f"Changelog inference cannot run {type(node).__name__}: there is no rule for it.")
            kinds = changes(node, inputs)
            columns[id(node)] = _monotonicity(node, [columns[id(child)] for child in children], inputs, kinds)
            self._facts[id(node)] = InputFacts(kinds, keys[id(node)], columns[id(node)])

    def decide(self) -> None:
        """Chooses the strategy of each node, consumers before their inputs."""
        for number, operation in enumerate(self._operations):
            if isinstance(operation, SinkModifyOperation) and operation.sink is not None:
                operation = with_materializer(operation, self._facts[id(operation.child)], self._configuration)
                self._operations[number] = operation
            demand = next(
                (
                    d
                    for d in sink_demands(operation, self._facts[id(operation.child)], self._configuration)
                    if self._can(operation.child, d)
                ),
                None,
            )
            if demand is None:
                raise TableInternalError(f"No changelog mode was found for {operation.summary_name}.")
            self._sink_demands.append(demand)
            self._demand(operation.child, demand)
        for node in reversed(self._order):
            decision = self._decide(node, self._demands[id(node)])
            if decision is None:
                raise TableInternalError(f"No changelog mode was found for {node.summary_name}.")
            self._decisions[id(node)] = decision
            for child, demand in zip(children_of(node, QueryOperation), decision.demands, strict=True):
                self._demand(child, demand)

    def _demand(self, node: QueryOperation, demand: Demand) -> None:
        known = self._demands.get(id(node))
        self._demands[id(node)] = demand if known is None else known | demand

    def _decide(self, node: QueryOperation, demand: Demand) -> Decision | None:
        children = children_of(node, QueryOperation)
        for decision in decisions(node, demand, [self._facts[id(child)] for child in children]):
            if all(self._can(child, needed) for child, needed in zip(children, decision.demands, strict=True)):
                return decision
        return None

    def _can(self, node: QueryOperation, demand: Demand) -> bool:
        key = id(node), demand
        if key not in self._possible:
            self._possible[key] = self._decide(node, demand) is not None
        return self._possible[key]

    def build(self) -> StreamPlan:
        """Rebuilds the plan with the chosen strategies."""
        built: dict[int, QueryOperation] = {}
        changes: dict[int, Changes] = {}
        columns: dict[int, Sequence[Monotonicity]] = {}
        keys: dict[int, tuple[int, ...]] = {}
        for node in self._order:
            decision = self._decisions[id(node)]
            wanted = dict(zip(map(id, children_of(node, QueryOperation)), decision.demands, strict=True))

            def input_of(child: QueryOperation, wanted: dict[int, Demand] = wanted) -> QueryOperation:
                return self._edge(built[id(child)], wanted[id(child)], changes, columns, keys)

            if decision.is_removed:
                (child,) = children_of(node, QueryOperation)
                built[id(node)] = input_of(child)
                continue
            made = map_children_of(decision.node, QueryOperation, input_of)
            if isinstance(made, SourceQueryOperation):
                changes[id(made)] = _changes_of_source(made)
            else:
                changes[id(made)] = _changes(self._facts[id(node)].kinds, self._demands[id(node)])
            built[id(node)] = made
            columns[id(made)] = self._facts[id(node)].monotonicity
            key = smallest_key(self._facts[id(node)].upsert_keys)
            if key is not None:
                keys[id(made)] = key
        roots = [
            replace(operation, child=self._edge(built[id(operation.child)], demand, changes, columns, keys))
            for operation, demand in zip(self._operations, self._sink_demands, strict=True)
        ]
        return StreamPlan(tuple(roots), changes, columns, keys)

    def _edge(
        self,
        node: QueryOperation,
        demand: Demand,
        changes: dict[int, Changes],
        columns: dict[int, Sequence[Monotonicity]],
        keys: dict[int, tuple[int, ...]],
    ) -> QueryOperation:
        """Returns the input of a consumer: drops UPDATE_BEFORE rows if only another consumer of the node needs them."""
        given = changes[id(node)]
        if not demand.is_only_after or given.updates is not UpdateKind.BEFORE_AND_AFTER:
            return node
        dropped = DropUpdateBeforeQueryOperation(node)
        changes[id(dropped)] = replace(given, updates=UpdateKind.ONLY_UPDATE_AFTER)
        columns[id(dropped)] = columns[id(node)]
        if id(node) in keys:
            keys[id(dropped)] = keys[id(node)]
        return dropped


def _monotonicity(
    node: QueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet], given: ModifyKindSet
) -> Sequence[Monotonicity]:
    """Returns the monotonicity of each column of a node that emits the kinds ``changes``: the columns of an insert-only node are constant."""
    if ModifyKind.UPDATE not in given:
        return (Monotonicity.CONSTANT,) * len(node.resolved_schema.columns)
    derive = facts_of(type(node)).monotonicity
    return (Monotonicity.NOT_MONOTONIC,) * len(node.resolved_schema.columns) if derive is None else derive(node, inputs, kinds)


def _changes_of_source(scan: SourceQueryOperation) -> Changes:
    mode = mode_of(scan)
    updates = UpdateKind.NONE
    if mode.contains(RowKind.UPDATE_AFTER):
        updates = UpdateKind.BEFORE_AND_AFTER if mode.contains(RowKind.UPDATE_BEFORE) else UpdateKind.ONLY_UPDATE_AFTER
    deletes = DeleteKind.NONE
    if mode.contains(RowKind.DELETE):
        deletes = DeleteKind.DELETE_BY_KEY if mode.key_only_deletes else DeleteKind.FULL_DELETE
    return Changes(modify_kinds_of(mode.kinds), updates, deletes)


def _changes(kinds: ModifyKindSet, demand: Demand) -> Changes:
    """Returns the changes on the output of a node that emits these kinds under this demand."""
    return Changes(
        kinds,
        demand.updates if ModifyKind.UPDATE in kinds else UpdateKind.NONE,
        demand.deletes if ModifyKind.DELETE in kinds else DeleteKind.NONE,
    )
