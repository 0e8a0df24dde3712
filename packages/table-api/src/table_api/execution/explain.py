"""EXPLAIN."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import ExplainDetail
from table_api.execution.local_result import text_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations import CollectModifyOperation, ContextResolvedTable, ModifyOperation, Operation, QueryOperation
from table_api.operations.command import ExecutePlanOperation, ExplainOperation, StatementSetOperation
from table_api.operations.ddl import CreateTableAsOperation
from table_api.operations.modify import DeleteOperation, UpdateOperation
from table_api.plan.explain import explain_upgrade
from table_api.table_result import TableResult
from table_common.exceptions import TableException, ValidationException
from table_common.tree import by_class


@execute.register(ExplainOperation)
def _explain(operation: ExplainOperation, session: TableSession) -> TableResult:
    return text_of(explain_text(operation.operation, session, _details(operation.details)))


@by_class
def explain_text(operation: Operation, session: TableSession, details: Sequence[ExplainDetail]) -> str:
    """Returns the plans as text; DELETE and UPDATE are planned as their sink supports them.

    Raises:
        TableException: no engine runs the operation.
    """
    return session.explain(planned(operation), details)


@explain_text.register(ExplainOperation)
def _explain_explanation(operation: ExplainOperation, session: TableSession, details: Sequence[ExplainDetail]) -> str:
    return explain_text(operation.operation, session, [*_details(operation.details), *details])


@explain_text.register(ExecutePlanOperation)
def _explain_file(operation: ExecutePlanOperation, session: TableSession, details: Sequence[ExplainDetail]) -> str:
    from table_api.execution.compiled_plan import plan_of_file

    return session.explain(plan_of_file(operation.file, session), details)


@explain_text.register(DeleteOperation)
def _explain_delete(operation: DeleteOperation, session: TableSession, details: Sequence[ExplainDetail]) -> str:
    from table_api.plan.row_level import PushedDeletion, plan_delete

    deletion = plan_delete(operation, session.rule_context())
    if isinstance(deletion, PushedDeletion):
        return f"== Optimized Logical Plan ==\n{deletion}\n"
    return session.explain([deletion], details)


@explain_text.register(UpdateOperation)
def _explain_update(operation: UpdateOperation, session: TableSession, details: Sequence[ExplainDetail]) -> str:
    from table_api.plan.row_level import plan_update

    return session.explain([plan_update(operation, session.rule_context())], details)


@explain_text.register(CreateTableAsOperation)
def _explain_table_as(operation: CreateTableAsOperation, session: TableSession, details: Sequence[ExplainDetail]) -> str:
    from table_api.resolution.insertion import insert_into_table

    table = session.catalog_manager.schema_resolver.resolve_table(operation.table.catalog_table)
    found = ContextResolvedTable(operation.table.identifier, table)
    return session.explain([insert_into_table(found, operation.child, static_partition={}, options={})], details)


def upgrade_text(operation: Operation, session: TableSession) -> str:
    """Returns a line per operator that keeps state.

    Raises:
        TableException: the statement would run without checkpoints.
    """
    return explain_upgrade(planned(operation), session, session.planner)


@by_class
def planned(operation: Operation) -> Sequence[ModifyOperation]:
    """Returns the operations that an engine would run for an operation."""
    raise TableException(
        "EXPLAIN accepts a query, an INSERT, UPDATE or DELETE, CREATE or REPLACE TABLE AS, or a statement set; other statements run without a plan."
    )


@planned.register(QueryOperation)
def _query(operation: QueryOperation) -> Sequence[ModifyOperation]:
    return [CollectModifyOperation(operation)]


@planned.register(ModifyOperation)
def _modification(operation: ModifyOperation) -> Sequence[ModifyOperation]:
    return [operation]


@planned.register(StatementSetOperation)
def _statement_set(operation: StatementSetOperation) -> Sequence[ModifyOperation]:
    return operation.operations


def _details(names: Sequence[str]) -> list[ExplainDetail]:
    known = {detail.value: detail for detail in ExplainDetail}
    for name in names:
        if name not in known:
            raise ValidationException.unknown("Explain detail", name, known)
    return [known[name] for name in names]
