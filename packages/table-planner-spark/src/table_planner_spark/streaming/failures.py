"""What the failure of an epoch's Spark job was, in the terms of this project."""

from __future__ import annotations

import re

from table_common.configuration import ExecutionConfigOptions
from table_common.exceptions import TableException
from table_planner_spark.errors import is_result_too_large, to_runtime_error
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.session.workers import DISTRIBUTIONS, NEEDED
from table_planner_spark.streaming.epoch_job import failed_task
from table_planner_spark.worker_errors import is_failure_of_system

_MISSING = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def missing_package(text: str) -> str | None:
    """Returns which package that our tasks need a worker lacked, by Spark's message: one that came after the first epoch was not asked; None: it lacked none."""
    found = _MISSING.search(text)
    names = {package: name for name, package in DISTRIBUTIONS.items()} | {name.replace("-", "_"): name for name in NEEDED}
    return names.get(found[1]) if found is not None else None


def failure_of_epoch(error: Exception, session: EngineSession) -> Exception:
    """Returns the error of an epoch's Spark job; one of a system, which a repetition may mend, is raised from an ``OSError`` as it was in the worker."""
    if is_result_too_large(error):
        return TableException(
            "The rows of an epoch that come to this program, those of a query or of a sink like print, are larger than spark.driver.maxResultSize.",
            hint=f"Read fewer rows per epoch: SET '{ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH.key}'; or raise spark.driver.maxResultSize.",
        )
    if (package := missing_package(str(error))) is not None:
        return TableException(
            f"The Python of a worker that runs an epoch lacks {package}.",
            hint="On every worker, also on those that come later: pip install table-planner-spark",
        )
    found = session.failure(error) or to_runtime_error(error, failed_task(session.spark, str(error)))
    if is_failure_of_system(str(error)):
        found.__cause__ = OSError(str(found))
    return found
