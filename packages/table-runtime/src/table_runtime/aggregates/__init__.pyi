from table_runtime.aggregates.accumulator import Accumulator as Accumulator
from table_runtime.aggregates.accumulator import AggregateSpec as AggregateSpec
from table_runtime.aggregates.accumulator import Reduction as Reduction
from table_runtime.aggregates.collect import Collecting as Collecting
from table_runtime.aggregates.registry import make_accumulator as make_accumulator
from table_runtime.aggregates.user import UserAggregate as UserAggregate
from table_runtime.aggregates.user_states import UserStates as UserStates
from table_runtime.aggregates.user_states import defines_merge as defines_merge
