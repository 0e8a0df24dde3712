from table_runtime.batch.spill.collected import Collected as Collected
from table_runtime.batch.spill.collected import collect as collect
from table_runtime.batch.spill.merge import merge_runs as merge_runs
from table_runtime.batch.spill.partitions import partition_rows as partition_rows
from table_runtime.batch.spill.rows import SpilledRows as SpilledRows
from table_runtime.batch.spill.rows import over_inputs as over_inputs
