from table_runtime.scans.scan_offsets import ScanOffsets as ScanOffsets
from table_runtime.scans.scan_splits import ScanSplits as ScanSplits
from table_runtime.scans.scan_splits import divide_scan as divide_scan
