"""The facts of a kind of nodes that rules and changelog inference read, in one record per class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from table_api.operations.changelog import INSERTS, DeleteKind, ModifyKind, ModifyKindSet, UpdateKind
from table_api.operations.operation import QueryOperation
from table_api.operations.query.external import ExternalQueryOperation
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import Monotonicity

if TYPE_CHECKING:
    from table_api.plan.window_columns import WindowColumns

Key = frozenset[int]
"""Positions of columns; the empty key means at most one row."""
Keys = frozenset[Key]
NO_KEYS: Keys = frozenset()
Columns = frozenset[int]
Pruned = tuple[QueryOperation, dict[int, int]]
"""The new node, and for each old column that is still there its new position."""

Follow = Callable[[FieldReferenceExpression], FieldReferenceExpression]
"""Returns a reference with the type that its column has now."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a consumer requires: the rows that describe updates, and the columns of deletions."""

    updates: UpdateKind = UpdateKind.BEFORE_AND_AFTER
    deletes: DeleteKind = DeleteKind.FULL_DELETE

    def __or__(self, other: Demand) -> Demand:
        """Returns the weakest demand that satisfies both."""
        return Demand(
            max(self.updates, other.updates, key=lambda kind: kind.value), max(self.deletes, other.deletes, key=lambda kind: kind.value)
        )

    @property
    def is_only_after(self) -> bool:
        """Whether UPDATE_BEFORE rows are not required."""
        return self.updates is not UpdateKind.BEFORE_AND_AFTER


FULL = Demand()
UPSERT = Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.FULL_DELETE)


@dataclass(frozen=True, slots=True)
class InputFacts:
    """Properties of an input: its kinds of changes, its upsert keys, and the monotonicity of its columns."""

    kinds: ModifyKindSet
    upsert_keys: Keys
    monotonicity: Sequence[Monotonicity]

    @property
    def has_updates(self) -> bool:
        """Whether rows may be updated."""
        return ModifyKind.UPDATE in self.kinds

    @property
    def has_deletes(self) -> bool:
        """Whether rows may be deleted."""
        return ModifyKind.DELETE in self.kinds


@dataclass(frozen=True, slots=True)
class Decision:
    """One way to execute a node: its demand on each input, and the node with the chosen strategy, or the information that it can be removed."""

    demands: tuple[Demand, ...]
    node: QueryOperation
    is_removed: bool = False


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What is known of the nodes of a class; None where a node lacks a fact.

    The functions take the node, then what is known of its inputs.
    """

    changes: Callable[[Any, Sequence[ModifyKindSet]], ModifyKindSet] | None = None
    """Returns the kinds of changes of a node, given those of its inputs."""
    demands: Callable[[Any, Demand, Sequence[InputFacts]], Iterator[Decision]] | None = None
    """Yields the ways in which a node can meet a demand, the best one first; none if it cannot. A way is possible if each input can meet its demand."""
    keys: Callable[[Any, Sequence[Keys]], Keys] | None = None
    """Returns the unique keys of a node, from those of its inputs; None: it has none."""
    monotonicity: Callable[[Any, Sequence[Sequence[Monotonicity]], Sequence[ModifyKindSet]], Sequence[Monotonicity]] | None = None
    """Returns the monotonicity of each column, from the columns of its inputs and their kinds of changes; None: the columns are not monotonic."""
    needs: Callable[[Any, Columns], list[Columns]] | None = None
    """Returns the columns of each input that the node uses if its readers use these columns of it; None: all."""
    rebuilt: Callable[[Any, Columns, Sequence[Pruned]], Pruned] | None = None
    """Returns the node over its pruned inputs, with at least these columns; None: the node keeps all columns."""
    windows: Callable[[Any, Sequence[WindowColumns | None]], WindowColumns | None] | None = None
    """Returns the window columns of a node from those of its inputs; None: its rows belong to no window."""
    follows_clock: Callable[[Any], bool] | None = None
    """Returns whether the node emits rows when processing time has passed them."""
    reads_watermarks: Callable[[Any], bool] | None = None
    """Returns whether the node drops late rows, or keeps them until the watermark reaches them."""
    forwards_watermarks: bool = False
    """Whether the rows of the node keep their watermark; those of a node that treats each row alone do."""
    needs_each_watermark: Callable[[Any, bool], bool] | None = None
    """Returns whether the result depends on the watermark between any two rows; True for inputs that are insert-only."""
    settled: Callable[[Any, Any, Sequence[WindowColumns | None]], QueryOperation] | None = None
    """Returns a node without the time attributes that it loses, given the node, its form for windows and intervals, and the windows of its inputs.

    The facts are those of the form. None: the node loses no time attribute, or has lost it in its types.
    """
    retyped: Callable[[Any, Follow], QueryOperation] | None = None
    """Returns the node with types that follow those of its inputs; None: references to columns do."""
    needed_time: Callable[[Any, FieldReferenceExpression], str | None] | None = None
    """Returns what needs a column to be a time attribute; None: nothing."""
    time_loser: str | Callable[[Any], str | None] | None = None
    """What takes time attributes from the columns of the node; None: nothing."""
    retentions: Callable[[Any, int], tuple[int, ...]] | None = None
    """Returns for how many milliseconds the node keeps state, one number or one per input, given the default; None: that."""
    keeps_state: Callable[[Any, frozenset[int]], str | None] | None = None
    """Returns why the node keeps state if these inputs are unbounded and it has all rows of the others; None: it treats each of their rows alone.

    Without the fact, nodes of ``STATELESS_OPERATIONS`` do, and others keep state.
    """
    growing_state: Callable[[Any, bool], str | None] | None = None
    """Returns what grows with the input, after "The node keeps"; None: nothing. True: state expires by default."""


_facts: dict[type[QueryOperation], NodeFacts] = {}
_UNKNOWN = NodeFacts()


def register(cls: type[QueryOperation], facts: NodeFacts) -> None:
    """Registers the facts of exactly this class; once."""
    if cls in _facts:
        raise ValueError(f"The facts of {cls.__name__} are registered twice.")
    _facts[cls] = facts


def facts_of(cls: type[QueryOperation]) -> NodeFacts:
    """Returns the facts of a class, from the file here with the name of its module; of the leaves of an engine, those of their base class."""
    if cls not in _facts:
        if cls is not ExternalQueryOperation and issubclass(cls, ExternalQueryOperation):
            return _facts.setdefault(cls, facts_of(ExternalQueryOperation))
        name = f"{__package__}.{cls.__module__.rpartition('.')[2]}"
        if cls.__module__.startswith("table_api.") and find_spec(name) is not None:
            import_module(name)
        _facts.setdefault(cls, _UNKNOWN)
    return _facts[cls]


def kinds_of_changes(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    """Returns the kinds of changes of a node, given those of its inputs; insertions, if they are not known."""
    changes = facts_of(type(node)).changes
    return INSERTS if changes is None else changes(node, inputs)


def decisions(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    """Returns the ways in which a node can meet a demand, the best one first."""
    decide = facts_of(type(node)).demands
    assert decide is not None  # inference has asked for the changes of the node before
    return decide(node, demand, inputs)


def window_columns(node: QueryOperation, inputs: Sequence[WindowColumns | None]) -> WindowColumns | None:
    """Returns the window columns of a node from those of its inputs; None if its rows belong to no window."""
    windows = facts_of(type(node)).windows
    return None if windows is None else windows(node, inputs)
