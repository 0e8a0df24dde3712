from __future__ import annotations

import table_api.operations.command as command
import table_api.operations.ddl as ddl
import table_api.operations.modify as modify
from table_api.execution.registry import execute
from table_api.operations import Operation, QueryOperation


def test_every_operation_that_needs_no_job_has_a_handler() -> None:
    names = {name: getattr(package, name) for package in (command, ddl, modify) for name in package.__all__}
    classes = {
        cls for cls in names.values() if isinstance(cls, type) and issubclass(cls, Operation) and not issubclass(cls, QueryOperation)
    }
    assert {cls.__name__ for cls in execute.missing(classes)} == {
        "CollectModifyOperation",
        "SinkModifyOperation",
        "StatementSetOperation",
    }
