from table_runtime.sinks.sink import write_to as write_to
from table_runtime.sinks.staged_files import StagedFiles as StagedFiles
