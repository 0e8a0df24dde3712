"""Statements about the session: USE, SHOW, DESCRIBE, SET, modules."""

from __future__ import annotations

from table_api.operations import Operation
from table_api.operations.command import (
    DescribeOperation,
    LoadModuleOperation,
    ResetOperation,
    SetOptionOperation,
    ShowLike,
    ShowOperation,
    StopJobOperation,
    UnloadModuleOperation,
    UseCatalogOperation,
    UseDatabaseOperation,
    UseModulesOperation,
)
from table_api.sql.ast import (
    DescribeStatement,
    LoadModule,
    ResetOption,
    SetOption,
    ShowStatement,
    StopJob,
    UnloadModule,
    UseModules,
    UseStatement,
)
from table_api.sql.conversion.dispatch import StatementContext, convert
from table_api.sql.conversion.partition import partition_spec_of
from table_common.exceptions import ValidationException


@convert.register(UseStatement)
def _use(node: UseStatement, context: StatementContext) -> Operation:
    if node.kind == "CATALOG":
        return UseCatalogOperation(node.path[0])
    if len(node.path) > 2:
        raise ValidationException(
            f"USE accepts a database or catalog.database, but got {'.'.join(node.path)}.", position=context.position(node.path_span)
        )
    catalog = node.path[0] if len(node.path) == 2 else context.session.tables.qualify(("_",)).catalog_name
    return UseDatabaseOperation(catalog, node.path[-1])


@convert.register(ShowStatement)
def _show(node: ShowStatement, context: StatementContext) -> Operation:
    like = ShowLike(node.like.pattern, node.like.negated, node.like.ignore_case) if node.like is not None else None
    partition = partition_spec_of(node.partition, context) if node.partition is not None else None
    return ShowOperation(node.kind, node.path, node.preposition, like, partition)


@convert.register(DescribeStatement)
def _describe(node: DescribeStatement, context: StatementContext) -> Operation:
    return DescribeOperation(node.kind, node.path, node.extended)


@convert.register(StopJob)
def _stop_job(node: StopJob, context: StatementContext) -> Operation:
    return StopJobOperation(node.job_id, node.with_savepoint, node.with_drain)


@convert.register(SetOption)
def _set(node: SetOption, context: StatementContext) -> Operation:
    return SetOptionOperation(node.key, node.value)


@convert.register(ResetOption)
def _reset(node: ResetOption, context: StatementContext) -> Operation:
    return ResetOperation(node.key)


@convert.register(LoadModule)
def _load_module(node: LoadModule, context: StatementContext) -> Operation:
    return LoadModuleOperation(node.name, dict(node.options))


@convert.register(UnloadModule)
def _unload_module(node: UnloadModule, context: StatementContext) -> Operation:
    return UnloadModuleOperation(node.name)


@convert.register(UseModules)
def _use_modules(node: UseModules, context: StatementContext) -> Operation:
    return UseModulesOperation(node.names)
