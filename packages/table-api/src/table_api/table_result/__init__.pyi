from table_api.table_result.closeable_iterator import CloseableIterator as CloseableIterator
from table_api.table_result.live_table import LiveTable as LiveTable
from table_api.table_result.result import ResultKind as ResultKind
from table_api.table_result.result import TableResult as TableResult
