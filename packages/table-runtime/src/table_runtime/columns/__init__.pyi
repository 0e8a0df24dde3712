from table_runtime.columns.batches import cast_to_schema as cast_to_schema
from table_runtime.columns.batches import coalesce_batches as coalesce_batches
from table_runtime.columns.batches import make_batch as make_batch
from table_runtime.columns.batches import rechunk as rechunk
from table_runtime.columns.ordering import SortKey as SortKey
