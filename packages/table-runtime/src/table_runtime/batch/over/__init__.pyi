from table_runtime.batch.over.frames import Bound as Bound
from table_runtime.batch.over.frames import Frame as Frame
from table_runtime.batch.over.frames import Frames as Frames
from table_runtime.batch.over.frames import make_frames as make_frames
from table_runtime.batch.over.sorted_rows import SortedRows as SortedRows
from table_runtime.batch.over.window_function import WindowFunction as WindowFunction
