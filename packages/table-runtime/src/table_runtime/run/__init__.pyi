from table_runtime.run.execution import ExecutionContext as ExecutionContext
from table_runtime.run.job_metrics import JobMetrics as JobMetrics
from table_runtime.run.operator import Operator as Operator
