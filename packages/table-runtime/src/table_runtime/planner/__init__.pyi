from table_runtime.planner.factory import ArrowPlannerFactory as ArrowPlannerFactory
from table_runtime.planner.planner import ArrowPlanner as ArrowPlanner
