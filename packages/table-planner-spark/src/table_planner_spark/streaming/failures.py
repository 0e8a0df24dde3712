"""What the failure of an epoch's Spark job was, in the terms of this project."""

from __future__ import annotations

from table_common.configuration import ExecutionConfigOptions
from table_common.exceptions import TableException
from table_planner_spark.errors import is_result_too_large, to_runtime_error
from table_planner_spark.session.engine_session import EngineSession
from table_planner_spark.streaming.epoch_job import failed_task
from table_planner_spark.worker_errors import is_failure_of_system


def failure_of_epoch(error: Exception, session: EngineSession) -> Exception:
    """Returns the error of an epoch's Spark job; one of a system, which a repetition may mend, is raised from an ``OSError`` as it was in the worker."""
    if is_result_too_large(error):
        return TableException(
            "The rows of an epoch that come to this program, those of a query or of a sink like print, are larger than spark.driver.maxResultSize.",
            hint=f"Read fewer rows per epoch: SET '{ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH.key}'; or raise spark.driver.maxResultSize.",
        )
    found = session.failure(error) or to_runtime_error(error, failed_task(session.spark, str(error)))
    if is_failure_of_system(str(error)):
        found.__cause__ = OSError(str(found))
    return found
