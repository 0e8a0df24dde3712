from table_api.operations.modify.collect import CollectModifyOperation as CollectModifyOperation
from table_api.operations.modify.row_level import DeleteOperation as DeleteOperation
from table_api.operations.modify.row_level import UpdateOperation as UpdateOperation
from table_api.operations.modify.sink import SinkModifyOperation as SinkModifyOperation
