from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan as AggregationPlan
from table_runtime.batch.vector_search import vector_comparison as vector_comparison
from table_runtime.columns.keys import KeyCodec as KeyCodec
