"""All that this package uses of PySpark beyond its public API, and all that differs between the supported versions of Spark.

No other module names an attribute of PySpark that begins with an underscore, or imports a module of PySpark that is not documented. What comes
from the JVM is ``Any``: py4j has no types.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast, get_origin

import pyarrow as pa
import pyspark
from pyspark import RDD, SparkContext
from pyspark.accumulators import Accumulator, AccumulatorParam, _accumulatorRegistry
from pyspark.errors import AnalysisException
from pyspark.java_gateway import launch_gateway
from pyspark.serializers import NoOpSerializer, pack_long
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery as StreamingQuery
from pyspark.sql.types import DataType, StructField, StructType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from table_common.exceptions import TableException

T = TypeVar("T")


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


SPARK_VERSION = _minor(pyspark.__version__)
"""The version of PySpark without its last part. A Spark in this process has the same."""
LATEST_JAVA = 23 if SPARK_VERSION < (4, 2) else None
"""The last version of Java on which this Spark starts: the Hadoop of Spark 4.0 and 4.1 calls what Java 24 removed."""


# --- the process, and the JVM that it drives


def running_context() -> SparkContext | None:
    """Returns the Spark of this process, or None. Its JVM may have ended."""
    return SparkContext._active_spark_context


def gateway_of_process() -> Any | None:
    """Returns the connection to the JVM that the next Spark of this process would use, or None. A JVM may outlive its Spark."""
    return SparkContext._gateway


def gateway_of(context: SparkContext) -> Any:
    """Returns the connection to the JVM of a Spark."""
    return context._gateway


def launch_jvm(output: Any) -> Any:
    """Starts a JVM for Spark, whose output goes to a file, and returns the connection to it."""
    return launch_gateway(None, {"stderr": output, "stdout": output})  # type: ignore[no-untyped-call]


def forget_gateway(gateway: Any) -> None:
    """Makes PySpark start another JVM for the next session, if it would use this one."""
    if SparkContext._gateway is gateway:
        SparkContext._gateway = SparkContext._jvm = None


def forget_jvm_of(context: SparkContext) -> None:
    """Makes ``context.stop()`` call no JVM: the JVM is gone."""
    context._jsc = None


def forget_sessions() -> None:
    """Makes PySpark create another session when one is asked for."""
    SparkSession._instantiatedSession = SparkSession._activeSession = None


def has_jvm_context(context: SparkContext) -> bool:
    """Returns whether the context was not stopped."""
    return context._jsc is not None


# --- objects of the JVM


def jvm_of(spark: SparkSession) -> Any:
    """Returns the JVM of a session in this process, through which its classes are called by name."""
    return spark._jvm


def java_session(spark: SparkSession) -> Any:
    """Returns the JVM's object of a session in this process."""
    return spark._jsparkSession


def java_context(context: SparkContext) -> Any:
    """Returns the JVM's object of a context."""
    return context._jsc


def java_frame(frame: DataFrame) -> Any:
    """Returns the JVM's object of a DataFrame of a session in this process."""
    return frame._jdf


def sleep_in_jvm(spark: SparkSession, seconds: float) -> None:
    """Waits in the JVM. In a thread that Spark has called, its own thread waits, so that Spark can interrupt it."""
    jvm_of(spark).java.lang.Thread.sleep(int(seconds * 1000))


def java_column(column: Column) -> Any:
    """Returns the JVM's object of a column."""
    return cast("Any", column)._jc


def set_active_session(spark: SparkSession) -> None:
    """Makes the session the one in which the JVM looks up names for this thread."""
    SparkSession._get_j_spark_session_class(cast("Any", spark._jvm)).setActiveSession(spark._jsparkSession)


# --- DataFrames and functions


def map_in_arrow(frame: DataFrame, columns: list[Column], function: Callable[..., Any], schema: StructType, name: str) -> DataFrame:
    """Returns the results of a function over the Arrow batches of each partition. DataFrame.mapInArrow does the same, but requires pandas."""
    udf = UserDefinedFunction(function, schema, name, PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    return DataFrame(java_frame(frame).mapInArrow(java_column(udf(*columns)), False, None), frame.sparkSession)


def repartition_by_number(frame: DataFrame, parts: int, column: str) -> DataFrame:
    """Returns a DataFrame in which each row is in the part whose number a column has; from Spark 4.1 on."""
    found: DataFrame = cast("Any", frame).repartitionById(parts, column)
    return found


def why_not_streaming(frame: DataFrame, modes: Sequence[str] = ("Append", "Update", "Complete")) -> str | None:
    """Returns why Spark starts no streaming query for a DataFrame in one of these output modes; None: it does."""
    jvm: Any = cast("Any", frame.sparkSession)._jvm
    of_name, plan = jvm.org.apache.spark.sql.streaming.OutputMode, java_frame(frame).queryExecution().analyzed()
    reasons = []
    for mode in modes:
        try:
            jvm.org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker.checkForStreaming(plan, getattr(of_name, mode)())
        except AnalysisException as error:
            reasons.append(str(error).partition("\n")[0])
        else:
            return None
    return reasons[0]


def failure_of(query: StreamingQuery) -> BaseException | None:
    """Returns why a streaming query of Spark has failed: the cause, without the text about the query around it; None: it has not."""
    error: Any = query.exception()
    return None if error is None else error._cause or error


if SPARK_VERSION >= (4, 2):
    from pyspark.sql.streaming.datasource import ReadMaxRows, SupportsTriggerAvailableNow


def supports_available_now(cls: type[T]) -> type[T]:
    """Declares that a streaming source can read what is there, and end (``trigger(availableNow=True)``); before Spark 4.2 none can."""
    if SPARK_VERSION >= (4, 2):
        SupportsTriggerAvailableNow.register(cls)
    return cls


def row_limit(rows: int) -> Any:
    """Returns Spark's limit for the rows of a batch."""
    return ReadMaxRows(rows)


def rows_of_limit(limit: Any) -> int | None:
    """Returns the rows to which Spark limits a batch; None: it does not."""
    return limit.max_rows if isinstance(limit, ReadMaxRows) else None


# --- datasets of bytes: what Python workers give each other, without a look of the JVM at it


def make_bytes(context: SparkContext, parts: int, function: Callable[[int], Iterator[bytes]]) -> RDD[bytes]:
    """Returns a dataset of what a function gives for the number of each part."""
    java = cast("Any", context)._jsc.parallelize(cast("Any", context)._jvm.java.util.ArrayList(), parts)
    return map_bytes(_bytes_of(java, context), _Made(function))


def map_bytes(rdd: RDD[bytes], function: Callable[[int, Iterator[bytes]], Iterator[bytes]]) -> RDD[bytes]:
    """Returns what a function gives for the number and the content of each part; what it gives is not pickled."""
    mapped: Any = rdd.mapPartitionsWithIndex(cast("Any", function))
    mapped._bypass_serializer = True
    return cast("RDD[bytes]", mapped)


def divide_bytes(rdd: RDD[bytes], parts: int, part_of: Callable[[bytes], int]) -> RDD[bytes]:
    """Returns a dataset in which each content is in the part that ``part_of`` says. ``RDD.partitionBy`` does the same, but pickles, and holds many in memory."""
    jvm: Any = cast("Any", rdd.context)._jvm
    pairs = jvm.PairwiseRDD(cast("Any", map_bytes(rdd, _Pairs(part_of)))._jrdd.rdd()).asJavaPairRDD()
    return _bytes_of(jvm.PythonRDD.valueOfPair(pairs.partitionBy(jvm.PythonPartitioner(parts, 0))), rdd.context)


def arrow_contents(frame: DataFrame) -> RDD[bytes]:
    """Returns the rows of a DataFrame as record batches of Arrow's IPC format, without the schema, in its partitions."""
    return _bytes_of(java_frame(frame).toArrowBatchRdd().toJavaRDD(), frame.sparkSession.sparkContext)


def union_bytes(context: SparkContext, rdds: Sequence[RDD[bytes]]) -> RDD[bytes]:
    """Returns the parts of several datasets, one after the other. ``SparkContext.union`` does the same, but pickles."""
    if len(rdds) == 1:
        return rdds[0]
    java: Any = context
    parts = java._gateway.new_array(java._jvm.org.apache.spark.api.java.JavaRDD, len(rdds))
    for number, rdd in enumerate(rdds):
        parts[number] = cast("Any", rdd)._jrdd
    return _bytes_of(java._jsc.union(parts), context)


def forget_shuffles(rdd: RDD[bytes]) -> None:
    """Removes the files between the stages of a dataset that nobody needs any more; Spark does it only when the JVM happens to collect its garbage."""
    cast("Any", rdd)._jrdd.rdd().cleanShuffleDependencies(False)


def executor_ids(context: SparkContext) -> list[str]:
    """Returns the ids of the executors, in a fixed order; Spark has them on clusters only."""
    found = cast("Any", context)._jsc.sc().getExecutorIds()
    return sorted(found.apply(place) for place in range(found.size()))


class Anchor(NamedTuple):
    """A dataset with an element for each part, which Spark prefers to compute on a given executor, and the pairs of equal parts in a product with it."""

    elements: Any
    pairs: Any
    tag: Any


def anchor_of(context: SparkContext, executors: Sequence[str]) -> Anchor:
    """Returns the anchor of parts, of which each has an executor."""
    jvm: Any = cast("Any", context)._jvm
    elements, pairs = jvm.java.util.ArrayList(), jvm.java.util.ArrayList()
    for part, executor in enumerate(executors):
        places = jvm.java.util.ArrayList()
        places.add(f"executor_any_{executor}")
        elements.add(jvm.scala.Tuple2(part, jvm.PythonUtils.toSeq(places)))
        pairs.add(part * (len(executors) + 1))
    tag = jvm.scala.reflect.ClassTag.AnyRef()
    made = cast("Any", context)._jsc.sc().makeRDD(jvm.PythonUtils.toSeq(elements), tag).toJavaRDD()
    return Anchor(made, jvm.PythonUtils.toSeq(pairs).toSet(), tag)


def prefer_executors(rdd: RDD[bytes], anchor: Anchor) -> RDD[bytes]:
    """Returns the same dataset, each part of which Spark prefers to compute on the executor that the anchor has for it.

    Python cannot give a dataset places. A product with one that has them does: each content is paired with the only element of the anchor's part.
    """
    jvm: Any = cast("Any", rdd.context)._jvm
    product = cast("Any", rdd)._jrdd.cartesian(anchor.elements).rdd()
    pairs = jvm.org.apache.spark.rdd.PartitionPruningRDD.create(product, anchor.pairs)
    return _bytes_of(jvm.org.apache.spark.api.java.JavaPairRDD.fromRDD(pairs, anchor.tag, anchor.tag).keys(), rdd.context)


class _Made:
    """Gives what a function makes of the number of a part, which has no content."""

    def __init__(self, function: Callable[[int], Iterator[bytes]]) -> None:
        self._function = function

    def __call__(self, part: int, contents: Iterator[bytes]) -> Iterator[bytes]:
        deque(contents, 0)  # Spark uses a worker again only if it has read all that it was sent, though here it is nothing
        yield from self._function(part)


class _Pairs:
    """Gives, before each content, the number of its part as 8 bytes."""

    def __init__(self, part_of: Callable[[bytes], int]) -> None:
        self._part_of = part_of

    def __call__(self, _: int, contents: Iterator[bytes]) -> Iterator[bytes]:
        for content in contents:
            yield pack_long(self._part_of(content))  # type: ignore[no-untyped-call]
            yield content


def _bytes_of(java: Any, context: SparkContext) -> RDD[bytes]:
    return RDD(java, context, cast("Any", NoOpSerializer()))


def connect_query(spark: SparkSession, text: str, frames: Mapping[str, DataFrame]) -> DataFrame:
    """Returns the DataFrame of a query on Spark Connect whose text refers to DataFrames by name.

    ``SparkSession.sql`` with DataFrames as arguments does the same, but calls the server, and reads placeholders in the text.
    """
    from pyspark.sql.connect.dataframe import DataFrame as ConnectDataFrame
    from pyspark.sql.connect.plan import SQL, SubqueryAlias

    views = [SubqueryAlias(cast("Any", frame)._plan, name) for name, frame in frames.items()]
    made: Any = ConnectDataFrame(SQL(text, [], {}, views), cast("Any", spark))
    return cast("DataFrame", made)


def clone_connect_session(spark: Any) -> SparkSession:
    """Returns another session of the same user on the server of Spark Connect, with the options, views and functions of this one.

    Raises:
        TableException: the client or the server is older than 4.1, which can do that.
    """
    server = str(spark.version)  # the server knows a session from its first call on
    for where, version in (("server", server), ("client", pyspark.__version__)):
        if _minor(version) < (4, 1):
            raise TableException(
                f"The planner 'spark' on Spark Connect needs Spark 4.1 or later, but the {where} is {version}.",
                hint="Create the session with a master, such as SparkSession.builder.master('local[*]'), or update Spark.",
            )
    cloned: SparkSession = spark.cloneSession()
    return cloned


def arrow_schema(schema: StructType) -> pa.Schema:
    """Returns the Arrow schema in which Spark exchanges rows of a schema with Python. Instants are in UTC."""
    convert = cast("Any", to_arrow_schema)
    return convert(schema, timezone="UTC") if SPARK_VERSION >= (4, 2) else convert(schema, timestamp_utc=True)


def arrow_function(function: Callable[..., Any], type_: DataType, *, is_deterministic: bool) -> Any:
    """Returns a function over Arrow arrays as one that a session registers. Its annotations say whether it takes arrays or batches of them."""
    if SPARK_VERSION < (4, 1):
        return cast("Any", _FunctionInWorker.registered(function, type_, is_deterministic))
    from pyspark.sql.pandas.functions import arrow_udf

    made = cast("Any", arrow_udf)(function, type_)
    return made if is_deterministic else made.asNondeterministic()


class _FunctionInWorker:
    """A function over Arrow arrays on Spark 4.0, which has none.

    Spark sends the arguments of a pandas function to the worker as an Arrow stream, and reads the results as one. Of a function over an iterator,
    a task has only this one. So this reads and writes the two streams itself, and PySpark, which would convert them with pandas, gets no batch.
    """

    def __init__(self, function: Callable[..., Any], type_: DataType) -> None:
        self._function = function
        self._type = arrow_schema(StructType([StructField("_0", type_)])).field(0).type

    @classmethod
    def registered(cls, function: Callable[..., Any], type_: DataType, is_deterministic: bool) -> Any:
        kind = PythonEvalType.SQL_SCALAR_PANDAS_ITER_UDF
        made: Any = UserDefinedFunction(cls(function, type_), type_, function.__name__, kind, is_deterministic)
        return made._wrapped()

    def __call__(self, given: Iterable[Any]) -> Iterable[Any]:
        return _Results(self, given)

    def apply(self, batches: Iterator[list[pa.Array]]) -> Iterator[pa.Array]:
        """Yields the results for the arguments of each batch, in the type of the function."""
        of_batches: Any = get_origin(self._function.__annotations__["return"])
        results = self._function(map(tuple, batches)) if of_batches is Iterator else (self._function(*columns) for columns in batches)
        for result in results:
            yield result if result.type == self._type else result.cast(self._type)


class _Results:
    """What a function in the worker returns. Spark chains functions: it gives it to another one, or iterates it and expects batches of pandas."""

    def __init__(self, function: _FunctionInWorker, given: Iterable[Any]) -> None:
        self._function = function
        self._given = given

    def _read(self) -> Iterator[pa.Array]:
        if isinstance(self._given, _Results):
            yield from self._function.apply([array] for array in self._given._read())
            return
        (positions,), (unread, source) = _variables("arg_offsets"), _variables("iterator", "infile")
        unread.close()
        yield from self._function.apply([batch.column(position) for position in positions] for batch in pa.ipc.open_stream(source))

    def __iter__(self) -> Iterator[Any]:
        from pyspark.serializers import write_int
        from pyspark.sql.pandas.serializers import SpecialLengths

        (target,) = _variables("outfile")
        writer = None
        try:
            for array in self._read():
                batch = pa.RecordBatch.from_arrays([array], ["_0"])
                if writer is None:  # from here on, Spark reads no error
                    write_int(SpecialLengths.START_ARROW_STREAM, target)  # type: ignore[no-untyped-call]
                    writer = pa.RecordBatchStreamWriter(target, batch.schema)
                writer.write_batch(batch)
        finally:
            if writer is not None:
                writer.close()
        yield from ()


def _variables(*names: str) -> tuple[Any, ...]:
    """Returns the values of variables of the nearest function that called this one and has them."""
    frame = sys._getframe(1)
    while not all(name in frame.f_locals for name in names):
        assert frame.f_back is not None, f"Spark {pyspark.__version__} calls functions in another way"
        frame = frame.f_back
    return tuple(frame.f_locals[name] for name in names)


def accumulator_in_task(number: int, zero: T, adding: AccumulatorParam[T]) -> Accumulator[T]:
    """Returns the accumulator with this number in the worker's present task, which Spark sends when the task ends."""
    # Spark forgets the accumulators of a task when the next one begins.
    found = _accumulatorRegistry.get(number)
    if found is None:
        found = _accumulatorRegistry[number] = Accumulator(number, zero, adding)
        found._deserialized = True
    return cast("Accumulator[T]", found)
