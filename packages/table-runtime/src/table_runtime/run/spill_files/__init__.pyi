from table_runtime.run.spill_files.file import SpillFile as SpillFile
from table_runtime.run.spill_files.file import StoredBatch as StoredBatch
from table_runtime.run.spill_files.file import StoredRows as StoredRows
from table_runtime.run.spill_files.files import SpillFiles as SpillFiles
