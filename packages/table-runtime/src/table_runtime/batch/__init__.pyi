from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan as AggregationPlan
from table_runtime.batch.scans.scan_offsets import ScanOffsets as ScanOffsets
from table_runtime.batch.scans.scan_splits import ScanSplits as ScanSplits
from table_runtime.batch.scans.scan_splits import divide_scan as divide_scan
from table_runtime.batch.sinks.sink import write_to as write_to
from table_runtime.batch.sinks.staged_files import StagedFiles as StagedFiles
from table_runtime.columns.keys import KeyCodec as KeyCodec
