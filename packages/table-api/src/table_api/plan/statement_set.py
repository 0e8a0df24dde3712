"""The queries of a statement set as one plan, so that rules see which tables and subplans its INSERTs share."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StatementSetQueryOperation(QueryOperation):
    """The root of a plan with several outputs. It has no columns; rules keep all columns of its inputs."""

    inputs: tuple[QueryOperation, ...]

    @override
    def _make_schema(self) -> ResolvedSchema:
        return ResolvedSchema(())


def as_one_plan(queries: Sequence[QueryOperation]) -> QueryOperation:
    """Returns one root above the queries; the query itself if there is only one."""
    return queries[0] if len(queries) == 1 else StatementSetQueryOperation(tuple(queries))


def plans_of(root: QueryOperation) -> tuple[QueryOperation, ...]:
    """Returns the queries of ``as_one_plan``, as the rules have rewritten them."""
    return root.inputs if isinstance(root, StatementSetQueryOperation) else (root,)
