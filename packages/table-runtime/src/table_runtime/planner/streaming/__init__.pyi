from table_runtime.planner.streaming.operations import CHANGELOG_OPERATIONS as CHANGELOG_OPERATIONS
from table_runtime.planner.streaming.plan import StreamExecutablePlan as StreamExecutablePlan
from table_runtime.planner.streaming.translate import stream_graph as stream_graph
from table_runtime.planner.streaming.translate import stream_root as stream_root
from table_runtime.planner.streaming.translate import translate_stream as translate_stream
from table_runtime.planner.streaming.workers import LoweredStream as LoweredStream
from table_runtime.planner.streaming.workers import lower_stream as lower_stream
from table_runtime.streaming.job.explain_upgrade import explain_upgrade as explain_upgrade
