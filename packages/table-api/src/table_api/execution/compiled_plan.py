"""COMPILE PLAN and EXECUTE PLAN, and their plan files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations import Operation, SinkModifyOperation
from table_api.operations.command import CompileAndExecutePlanOperation, CompilePlanOperation, ExecutePlanOperation, StatementSetOperation
from table_api.table_result import TableResult
from table_common.configuration import TableConfigOptions
from table_common.exceptions import TableException, ValidationException
from table_common.gate import AllowedPath, current_gate
from table_common.object_names import check_no_nul
from table_common.secrets import make_private, open_private
from table_common.tree import by_class


@execute.register(CompilePlanOperation)
def _compile(operation: CompilePlanOperation, session: TableSession) -> TableResult:
    from table_api.plan.compiled import compile_plan

    path, is_forced = _path(operation.file), session.config.get(TableConfigOptions.PLAN_FORCE_RECOMPILE)
    if operation.ignore_if_exists and path.exists() and not is_forced:
        make_private(path)
        return ok()
    write_plan(path, compile_plan(operation.operations, session).text, replace=is_forced)
    return ok()


@execute.register(CompileAndExecutePlanOperation)
def _compile_and_execute(operation: CompileAndExecutePlanOperation, session: TableSession) -> TableResult:
    from table_api.plan.compiled import compile_plan

    path, is_forced = _path(operation.file), session.config.get(TableConfigOptions.PLAN_FORCE_RECOMPILE)
    if not path.exists() or is_forced:
        write_plan(path, compile_plan(operation.operations, session).text, replace=is_forced)
    return _run(operation.file, session)


@execute.register(ExecutePlanOperation)
def _execute(operation: ExecutePlanOperation, session: TableSession) -> TableResult:
    return _run(operation.file, session)


def _run(file: str, session: TableSession) -> TableResult:
    from table_api.plan.compiled import damaged_plan_reported

    operations = plan_of_file(file, session)
    with damaged_plan_reported(f"The compiled plan '{file}'"):
        return session.run_inserts(operations)


@by_class
def compiled_operations(operation: Operation) -> Sequence[SinkModifyOperation]:
    """Returns the insertions of a statement that can be compiled.

    Raises:
        ValidationException: it is another statement.
    """
    raise ValidationException("Only INSERT statements and statement sets are compiled to plans.", hint="INSERT INTO table SELECT …")


@compiled_operations.register(SinkModifyOperation)
def _insertion(operation: SinkModifyOperation) -> Sequence[SinkModifyOperation]:
    return [operation]


@compiled_operations.register(StatementSetOperation)
def _insertions(operation: StatementSetOperation) -> Sequence[SinkModifyOperation]:
    return operation.operations


def plan_of_file(file: str, session: TableSession) -> Sequence[SinkModifyOperation]:
    """Returns the insertions of a compiled plan.

    Raises:
        ValidationException: the file does not exist, it is a pipe or a device, or this session cannot run its plan.
    """
    from table_api.plan.compiled import read_plan

    path = _path(file)
    if path.exists() and not path.is_file():
        raise ValidationException(f"The compiled plan '{file}' cannot be read: it is not a file.")
    make_private(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValidationException(f"There is no compiled plan '{file}'.", hint=f"COMPILE PLAN '{file}' FOR INSERT INTO …") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValidationException(f"The compiled plan '{file}' cannot be read: {error}.") from None
    return read_plan(text, session, f"The file '{file}'").operations


def write_plan(path: AllowedPath, text: str, *, replace: bool = False) -> None:
    """Writes a plan atomically.

    Raises:
        TableException: the file exists and may not be replaced, or it cannot be written.
    """
    if path.exists() and not replace:
        make_private(path)
        raise TableException(
            f"The compiled plan '{path}' exists already.",
            hint=f"IF NOT EXISTS keeps it, SET '{TableConfigOptions.PLAN_FORCE_RECOMPILE.key}' = 'true' writes over it, EXECUTE PLAN runs it",
        )
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        staged.unlink(missing_ok=True)  # left by a killed process
        with open_private(staged) as file:
            file.write(text)
        staged.replace(path)
    except OSError as error:
        staged.unlink(missing_ok=True)
        raise TableException(f"The compiled plan '{path}' cannot be written: {error}.") from None


def _path(file: str) -> AllowedPath:
    """Returns the path of a local file.

    Raises:
        ValidationException: it is on another file system.
    """
    check_no_nul(file, "a path")
    if "://" in file and not file.lower().startswith("file:"):
        raise ValidationException(f"A compiled plan is a local file, but got '{file}'.", hint="give a path, or file:///path")
    return current_gate().path(file, "The compiled plan")
