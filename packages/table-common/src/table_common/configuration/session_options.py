"""The options of a session, each declared once, in classes named as in Flink; programs set them, and every engine reads them here.

``known_keys`` says what is done with all other keys that Flink has.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from table_common.configuration.config_option import ConfigOption, ConfigOptions
from table_common.configuration.job_options import (
    CheckpointingOptions,
    MaterializedTableConfigOptions,
    RestartStrategyOptions,
    StateRecoveryOptions,
)


class TableConfigOptions:
    """Options of the session itself: mode, planner, catalogs, time zone, dialect, display, compiled plans.

    Example:
        >>> TableConfigOptions.TABLE_DML_SYNC.key
        'table.dml-sync'
    """

    RUNTIME_MODE = (
        ConfigOptions.key("execution.runtime-mode")
        .enum_type("batch", "streaming")
        .default_value("streaming")
        .with_description("Whether queries process bounded data (batch) or changes of unbounded data (streaming).")
    )
    PLANNER = (
        ConfigOptions.key("table.planner")
        .string_type()
        .no_default_value()
        .with_description("The planner, by the identifier of its factory; unset: the only installed one, or 'spark' if several match.")
    )
    SPARK_MASTER = (
        ConfigOptions.key("table.spark.master")
        .string_type()
        .default_value("local[*]")
        .with_description(
            "The master of a Spark session that the planner starts; keys that begin with 'spark.' are passed to Spark unchanged."
        )
    )
    TABLE_CATALOG_NAME = (
        ConfigOptions.key("table.builtin-catalog-name")
        .string_type()
        .default_value("default_catalog")
        .with_description("The name of the initial catalog of a session.")
    )
    TABLE_DATABASE_NAME = (
        ConfigOptions.key("table.builtin-database-name")
        .string_type()
        .default_value("default_database")
        .with_description("The name of the initial database of the built-in catalog.")
    )
    TABLE_CATALOG_MODIFICATION_LISTENERS = (
        ConfigOptions.key("table.catalog-modification.listeners")
        .list_type()
        .default_value(())
        .with_description(
            "Who is told of changes of catalogs: entry points of 'table.catalog-listeners'. Read when an environment is made."
        )
    )
    LOCAL_TIME_ZONE = (
        ConfigOptions.key("table.local-time-zone")
        .string_type()
        .default_value("default")
        .with_description(
            "The session's time zone: an IANA name, an offset such as +02:00, or 'default' for that of the machine; an environment that is "
            "created with a Spark session uses that session's zone."
        )
        .with_effect_on_expressions()
    )
    TABLE_SQL_DIALECT = (
        ConfigOptions.key("table.sql-dialect")
        .enum_type("default")
        .default_value("default")
        .with_description("The SQL dialect; 'default' is the only one.")
    )
    TABLE_DML_SYNC = (
        ConfigOptions.key("table.dml-sync")
        .boolean_type()
        .default_value(False)
        .with_description("Whether execute_sql waits for the end of an INSERT.")
    )
    TABLE_DYNAMIC_TABLE_OPTIONS_ENABLED = (
        ConfigOptions.key("table.dynamic-table-options.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether the hint OPTIONS may change a table's options in a statement.")
    )
    TABLE_COLUMN_EXPANSION_STRATEGY = (
        ConfigOptions.key("table.column-expansion-strategy")
        .list_type("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", "EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS")
        .default_value(())
        .with_description(
            "The columns that SELECT * excludes: virtual metadata columns declared with FROM another key, or with their own key."
        )
    )
    LOG_FORMAT = (
        ConfigOptions.key("table.log.format")
        .enum_type("text", "json")
        .default_value("text")
        .with_description("The form of the records of the logger 'table.statement': a sentence, or a JSON object.")
    )
    DISPLAY_MAX_COLUMN_WIDTH = (
        ConfigOptions.key("table.display.max-column-width")
        .int_type()
        .default_value(30)
        .with_description("The maximum width of a column in a printed result; longer text is cut.")
        .with_fallback_keys("sql-client.display.max-column-width")
    )
    TABLE_RTAS_CTAS_ATOMICITY_ENABLED = (
        ConfigOptions.key("table.rtas-ctas.atomicity-enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether CREATE TABLE AS and REPLACE TABLE AS are atomic, if the connector supports staging.")
    )
    MAX_LENGTH_GENERATED_CODE = (
        ConfigOptions.key("table.generated-code.max-length")
        .int_type()
        .default_value(4000)
        .with_description("Kept for PyFlink programs; no engine here generates code.")
    )
    PLAN_COMPILE_CATALOG_OBJECTS = (
        ConfigOptions.key("table.plan.compile.catalog-objects")
        .enum_type("ALL", "SCHEMA", "IDENTIFIER")
        .default_value("ALL")
        .with_description(
            "The part of table definitions that a compiled plan contains: ALL, SCHEMA (no options, no comment) or IDENTIFIER."
        )
    )
    PLAN_RESTORE_CATALOG_OBJECTS = (
        ConfigOptions.key("table.plan.restore.catalog-objects")
        .enum_type("ALL", "ALL_ENFORCED", "IDENTIFIER")
        .default_value("ALL")
        .with_description(
            "The source of table definitions for a loaded plan: ALL uses the catalogs, and the plan for tables that they lack; "
            "ALL_ENFORCED uses only the plan, IDENTIFIER only the catalogs."
        )
    )
    PLAN_FORCE_RECOMPILE = (
        ConfigOptions.key("table.plan.force-recompile")
        .boolean_type()
        .default_value(False)
        .with_description("Whether COMPILE PLAN and COMPILE AND EXECUTE PLAN overwrite an existing file.")
    )


class ExecutionConfigOptions:
    """Options of execution: time limits, parallelism, casts, sinks, lookups.

    Example:
        >>> ExecutionConfigOptions.TABLE_EXEC_TIMEOUT.key
        'table.exec.timeout'
    """

    TABLE_EXEC_TIMEOUT = (
        ConfigOptions.key("table.exec.timeout")
        .duration_type()
        .no_default_value()
        .with_description("The time limit of a job, from its start until its last row is read; then the job is cancelled. Unset: no limit.")
    )
    TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM = (
        ConfigOptions.key("table.exec.resource.default-parallelism")
        .int_type()
        .default_value(-1)
        .with_description(
            "The number of threads of a statement on the embedded engine; -1: one per processor that the process may use (its affinity, and the quota "
            "of its control group, rounded up). In streaming mode the number of worker processes, at most one per processor; -1: none beside this process."
        )
        .with_fallback_keys("parallelism.default")
    )
    TABLE_EXEC_MEMORY = (
        ConfigOptions.key("table.exec.memory")
        .memory_type()
        .no_default_value()
        .with_description(
            "How much memory the process may use while a job of the embedded engine runs. Joins, aggregates, sorts, OVER windows, DISTINCT and set "
            "operations that need more spill to disk ('table.exec.spill.dir'); what still does not fit fails. For memory that "
            "operators cannot count, a job may exceed it by half, at most 192 mb. Unset: three quarters of the "
            "machine's memory or, if that is smaller, of the limit of the process's control group. A Spark that the planner starts in the process "
            "('local…') gets a third of it as its heap, at most 8 gb, unless 'spark.driver.memory' is set."
        )
    )
    TABLE_EXEC_SPILL_DIR = (
        ConfigOptions.key("table.exec.spill.dir")
        .string_type()
        .no_default_value()
        .with_description(
            "The folder of the files to which operators of the embedded engine spill; it is created if need be. The files are readable by this user "
            "only and have no names, so the system removes them with the process. Unset: the system's folder for temporary files, '$TMPDIR' or '/tmp'."
        )
    )
    TABLE_EXEC_SPILL_COMPRESSION_ENABLED = (
        ConfigOptions.key("table.exec.spill-compression.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether spilled rows are compressed, with LZ4.")
    )
    TABLE_EXEC_LEGACY_CAST_BEHAVIOUR = (
        ConfigOptions.key("table.exec.legacy-cast-behaviour")
        .enum_type("ENABLED", "DISABLED")
        .default_value("DISABLED")
        .with_description(
            "ENABLED: the casts of Flink before 1.15: integers wrap around, text is neither cut nor padded, TRUE is 'true', a failing CAST "
            "returns NULL."
        )
        .with_effect_on_expressions()
    )
    TABLE_EXEC_SINK_NOT_NULL_ENFORCER = (
        ConfigOptions.key("table.exec.sink.not-null-enforcer")
        .enum_type("ERROR", "DROP")
        .default_value("ERROR")
        .with_description("The treatment of rows with NULL in a NOT NULL column of the target table.")
    )
    TABLE_EXEC_SINK_NESTED_CONSTRAINT_ENFORCER = (
        ConfigOptions.key("table.exec.sink.nested-constraint-enforcer")
        .enum_type("IGNORE", "ROWS", "ROWS_AND_COLLECTIONS")
        .default_value("IGNORE")
        .with_description(
            "Whether NOT NULL is enforced inside of columns, as 'table.exec.sink.not-null-enforcer' says. ROWS: fields of rows. "
            "ROWS_AND_COLLECTIONS: elements of arrays, keys and values of maps as well. Lengths inside of columns are enforced in any case."
        )
    )
    # Differs from Flink: values are cut and padded to the length that the column of the target table declares, also inside of ROW, ARRAY and MAP, unless 'table.exec.sink.type-length-enforcer' is IGNORE, which is Flink's default. 'table.exec.sink.nested-constraint-enforcer' is about NOT NULL alone.
    TABLE_EXEC_SINK_TYPE_LENGTH_ENFORCER = (
        ConfigOptions.key("table.exec.sink.type-length-enforcer")
        .enum_type("IGNORE", "TRIM_PAD", "ERROR")
        .default_value("TRIM_PAD")
        .with_description(
            "The treatment of values that are longer or shorter than CHAR(n), VARCHAR(n), BINARY(n) or VARBINARY(n) of the target table, also inside "
            "of ROW, ARRAY and MAP. TRIM_PAD: they are cut and padded. ERROR: the statement fails. IGNORE: they are written as they are. A value of "
            "another type than its column is cast to that type before, which cuts and pads it."
        )
    )
    TABLE_EXEC_SINK_UPSERT_MATERIALIZE = (
        ConfigOptions.key("table.exec.sink.upsert-materialize")
        .enum_type("NONE", "AUTO", "FORCE")
        .default_value("AUTO")
        .with_description(
            "Whether a streaming query that writes to a table with a primary key stores the rows of each key in front of the sink, so that the "
            "last remaining row is written after a retraction. AUTO: if the primary key contains no upsert key of the query."
        )
    )
    TABLE_EXEC_SINK_REQUIRE_ON_CONFLICT = (
        ConfigOptions.key("table.exec.sink.require-on-conflict")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether a streaming query that updates rows needs ON CONFLICT if the primary key of the table contains none of its upsert keys."
        )
    )
    TABLE_EXEC_SORT_DEFAULT_LIMIT = (
        ConfigOptions.key("table.exec.sort.default-limit")
        .int_type()
        .default_value(-1)
        .with_description("The maximum number of rows of an ORDER BY without LIMIT in batch mode; -1: no maximum.")
    )
    TABLE_EXEC_ASYNC_LOOKUP_BUFFER_CAPACITY = (
        ConfigOptions.key("table.exec.async-lookup.buffer-capacity")
        .int_type()
        .default_value(100)
        .with_description("The maximum number of concurrent requests of an asynchronous lookup per task.")
    )
    TABLE_EXEC_ASYNC_LOOKUP_TIMEOUT = (
        ConfigOptions.key("table.exec.async-lookup.timeout")
        .duration_type()
        .default_value(timedelta(minutes=3))
        .with_description("The time limit of a request of an asynchronous lookup; exceeding it fails the job.")
    )
    TABLE_EXEC_ASYNC_ML_PREDICT_MAX_CONCURRENT_OPERATIONS = (
        ConfigOptions.key("table.exec.async-ml-predict.max-concurrent-operations")
        .int_type()
        .default_value(10)
        .with_description("The maximum number of requests of an asynchronous ML_PREDICT that run at once, per task.")
    )
    TABLE_EXEC_ASYNC_ML_PREDICT_TIMEOUT = (
        ConfigOptions.key("table.exec.async-ml-predict.timeout")
        .duration_type()
        .default_value(timedelta(minutes=3))
        .with_description("The time limit of a request of an asynchronous ML_PREDICT, with all its attempts; exceeding it fails the job.")
    )
    TABLE_EXEC_ASYNC_VECTOR_SEARCH_MAX_CONCURRENT_OPERATIONS = (
        ConfigOptions.key("table.exec.async-vector-search.max-concurrent-operations")
        .int_type()
        .default_value(10)
        .with_description("The maximum number of requests of an asynchronous VECTOR_SEARCH that run at once, per task.")
    )
    TABLE_EXEC_ASYNC_VECTOR_SEARCH_TIMEOUT = (
        ConfigOptions.key("table.exec.async-vector-search.timeout")
        .duration_type()
        .default_value(timedelta(minutes=3))
        .with_description("The time limit of a request of an asynchronous VECTOR_SEARCH; exceeding it fails the job.")
    )
    IDLE_STATE_RETENTION = (
        ConfigOptions.key("table.exec.state.ttl")
        .duration_type()
        .default_value(timedelta(0))
        .with_description(
            "The time for which untouched state is kept in streaming mode; 0: forever. The memory of expired state is reclaimed "
            "when later rows arrive. The hint STATE_TTL sets another time for a join or an aggregate."
        )
    )
    TABLE_EXEC_STATE_MEMORY = (
        ConfigOptions.key("table.exec.state.memory")
        .memory_type()
        .no_default_value()
        .with_description(
            "How much memory the state of a streaming job may take on the embedded engine, for all its operators together. A job that needs more fails, "
            "and the error names the operator with the most. It is measured about once a second. Unset: 'table.exec.memory' alone counts; not an option of Flink."
        )
    )
    TABLE_EXEC_SPARK_STATE_SHARES = (
        ConfigOptions.key("table.exec.spark.state-shares")
        .int_type()
        .no_default_value()
        .with_description(
            "How many tasks keep the state of a streaming job on Spark, each with the rows of its keys: 1 to 64. Unset: Spark's parallelism; not an option of Flink."
        )
    )
    TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH = (
        ConfigOptions.key("table.exec.spark.max-rows-per-epoch")
        .int_type()
        .default_value(1_000_000)
        .with_description(
            "About how many rows of each source a streaming job on Spark reads at most in an epoch, which is one Spark job; not an option of Flink."
        )
    )
    TABLE_EXEC_SPARK_STATE_CACHE = (
        ConfigOptions.key("table.exec.spark.state-cache")
        .memory_type()
        .default_value(4 << 30)
        .with_description(
            "How much of the state of streaming jobs on Spark each machine keeps between epochs, in files of Spark's local folder that the next task maps. Where it is not "
            "kept, a task reads the files of the checkpoint; 0: everywhere. Not an option of Flink."
        )
    )
    TABLE_EXEC_SPARK_TRIGGER = (
        ConfigOptions.key("table.exec.spark.trigger")
        .enum_type("interval", "available-now")
        .default_value("interval")
        .with_description(
            "When a streaming job on Spark over unbounded inputs has its epochs. interval: one after the other, until the job is ended. available-now: until "
            "what is there has been read, then the job ends, and a later start resumes after it; not an option of Flink."
        )
    )
    # Differs from Flink: 'table.exec.source.idle-timeout' is 60 s by default, not 0 (forever), so that a table without rows does not hold
    # back the watermark silently.
    TABLE_EXEC_SOURCE_IDLE_TIMEOUT = (
        ConfigOptions.key("table.exec.source.idle-timeout")
        .duration_type()
        .default_value(timedelta(seconds=60))
        .with_description(
            "How long an unbounded source may give no rows before operators no longer wait for its watermark; 0: forever. Operators always wait for bounded "
            "inputs. The table's option scan.watermark.idle-timeout has precedence."
        )
    )
    TABLE_EXEC_SOURCE_CDC_EVENTS_DUPLICATE = (
        ConfigOptions.key("table.exec.source.cdc-events-duplicate")
        .boolean_type()
        .default_value(False)
        .with_description("Whether changelog sources may emit duplicate changes; they are then removed by the table's primary key.")
    )
    TABLE_EXEC_EMIT_EARLY_FIRE_ENABLED = (
        ConfigOptions.key("table.exec.emit.early-fire.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether group windows of streaming queries emit results before the end of the window, every early-fire.delay.")
    )
    TABLE_EXEC_EMIT_EARLY_FIRE_DELAY = (
        ConfigOptions.key("table.exec.emit.early-fire.delay")
        .duration_type()
        .no_default_value()
        .with_description("The interval of results before the end of a group window, from its first row on, by the clock; 0: at each row.")
    )
    TABLE_EXEC_EMIT_LATE_FIRE_ENABLED = (
        ConfigOptions.key("table.exec.emit.late-fire.enabled")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Whether group windows of streaming queries take late rows, for allow-lateness, and emit results for them every late-fire.delay."
        )
    )
    TABLE_EXEC_EMIT_LATE_FIRE_DELAY = (
        ConfigOptions.key("table.exec.emit.late-fire.delay")
        .duration_type()
        .no_default_value()
        .with_description("The interval of results for late rows of a group window, from the first one on, by the clock; 0: at each row.")
    )
    TABLE_EXEC_EMIT_ALLOW_LATENESS = (
        ConfigOptions.key("table.exec.emit.allow-lateness")
        .duration_type()
        .default_value(timedelta(0))
        .with_description("How long after the end of a group window, in event time, late rows are taken with late-fire.enabled.")
    )
    TABLE_EXEC_MINIBATCH_ENABLED = (
        ConfigOptions.key("table.exec.mini-batch.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether aggregations, deduplications and joins of streaming queries emit net changes per batch of input rows.")
    )
    TABLE_EXEC_MINIBATCH_SIZE = (
        ConfigOptions.key("table.exec.mini-batch.size")
        .int_type()
        .default_value(-1)
        .with_description("The maximum number of input rows in a mini-batch; unset: the engine's batches of 65,536 rows.")
    )
    TABLE_EXEC_MINIBATCH_ALLOW_LATENCY = (
        ConfigOptions.key("table.exec.mini-batch.allow-latency")
        .duration_type()
        .default_value(timedelta(0))
        .with_description("How long rows of an unbounded query wait for others before a mini-batch is processed.")
    )
    TABLE_EXEC_SINK_COMMIT_INTERVAL = (
        ConfigOptions.key("table.exec.sink.commit-interval")
        .duration_type()
        .default_value(timedelta(seconds=1))
        .with_description("How often an unbounded query commits the rows of its sinks, unless it has checkpoints.")
    )
    TABLE_EXEC_SESSION_WINDOWS_IN_BATCH = (
        ConfigOptions.key("table.exec.session-windows-in-batch")
        .boolean_type()
        .default_value(False)
        .with_description("Whether SESSION windows can be used in batch mode, where Flink refuses them.")
    )


class OptimizerConfigOptions:
    """Options of planning.

    Example:
        >>> OptimizerConfigOptions.TABLE_OPTIMIZER_DYNAMIC_FILTERING_ENABLED.default
        True
    """

    TABLE_OPTIMIZER_DYNAMIC_FILTERING_ENABLED = (
        ConfigOptions.key("table.optimizer.dynamic-filtering.enabled")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether a scan on one side of a join waits for the keys of the other side, if that is filtered, and skips partitions, row groups "
            "and rows without these keys. Batch mode only."
        )
    )
    TABLE_OPTIMIZER_REUSE_SOURCE_ENABLED = (
        ConfigOptions.key("table.optimizer.reuse-source-enabled")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether a streaming job scans a table once for consumers with different columns and filters; needs `table.optimizer.reuse-sub-plan-enabled`."
        )
    )
    TABLE_OPTIMIZER_REUSE_SUB_PLAN_ENABLED = (
        ConfigOptions.key("table.optimizer.reuse-sub-plan-enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether equal subplans of a streaming query run once, so that a table that is read twice is scanned once.")
    )
    TABLE_OPTIMIZER_SOURCE_PREDICATE_PUSHDOWN_ENABLED = (
        ConfigOptions.key("table.optimizer.source.predicate-pushdown-enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether predicates are pushed into sources; if not, the engine evaluates all of them.")
    )
    TABLE_OPTIMIZER_SOURCE_REPORT_STATISTICS_ENABLED = (
        ConfigOptions.key("table.optimizer.source.report-statistics-enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether sources report statistics; if not, only those of ANALYZE TABLE are used.")
    )


class PipelineOptions:
    """Options of jobs: names, parameters and files of user functions, watermarks.

    Example:
        >>> PipelineOptions.NAME.key
        'pipeline.name'
    """

    NAME = (
        ConfigOptions.key("pipeline.name").string_type().no_default_value().with_description("The name of the jobs that statements start.")
    )
    AUTO_WATERMARK_INTERVAL = (
        ConfigOptions.key("pipeline.auto-watermark-interval")
        .duration_type()
        .default_value(timedelta(milliseconds=200))
        .with_description(
            "The event time by which rows must advance before the next watermark is emitted; also how often sources emit watermarks."
        )
    )
    GLOBAL_JOB_PARAMETERS = (
        ConfigOptions.key("pipeline.global-job-parameters")
        .string_type()
        .no_default_value()
        .with_description("What user functions get from FunctionContext.get_job_parameter: 'key:value,key:value'.")
    )
    CACHED_FILES = (
        ConfigOptions.key("pipeline.cached-files")
        .string_type()
        .no_default_value()
        .with_description(
            "Files and folders that user functions get from FunctionContext.get_cached_file: 'name:one,path:/a/b;name:two,path:/c'."
        )
    )


class PythonOptions:
    """Dependencies of user functions in Python.

    Example:
        >>> PythonOptions.PYTHON_FILES.key
        'python.files'
    """

    PYTHON_FILES = (
        ConfigOptions.key("python.files")
        .string_type()
        .no_default_value()
        .with_description(
            "Python files, packages and archives that user functions import, separated by commas; Spark's workers get them too."
        )
    )
    PYTHON_ARCHIVES = (
        ConfigOptions.key("python.archives")
        .string_type()
        .no_default_value()
        .with_description(
            "Archives that user functions read below the working directory, separated by commas: '/a/data.zip#data' is the folder 'data' "
            "there; without '#' it has the name of the file."
        )
    )
    PYTHON_EXECUTABLE = (
        ConfigOptions.key("python.executable")
        .string_type()
        .default_value("python")
        .with_description("The Python interpreter of workers in other processes.")
    )
    PYTHON_REQUIREMENTS = (
        ConfigOptions.key("python.requirements")
        .string_type()
        .no_default_value()
        .with_description(
            "A requirements.txt for user functions; it is only recorded: install the packages on the workers of a cluster yourself."
        )
    )
    PYTHON_TRUNCATE_FRACTIONS = (
        ConfigOptions.key("python.functions.truncate-fractions")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Whether a number with a fraction that a user function returns for an integer type is cut, as in PyFlink; otherwise it is an error."
        )
        .with_effect_on_expressions()
    )


class SecurityOptions:
    """Restrictions for statements of untrusted users; off by default.

    Example:
        >>> SecurityOptions.ALLOWED_PATHS.key
        'table.security.allowed-paths'
    """

    ALLOWED_MODULES = (
        ConfigOptions.key("table.security.allowed-modules")
        .string_type()
        .no_default_value()
        .with_description(
            "The Python modules and packages, separated by semicolons, that CREATE FUNCTION, the connector 'python', LOAD MODULE, catalogs and "
            "compiled plans may import; empty: none. Unset: all. Statements cannot change it."
        )
    )
    ALLOWED_PATHS = (
        ConfigOptions.key("table.security.allowed-paths")
        .string_type()
        .no_default_value()
        .with_description(
            "The folders and prefixes of URLs, separated by semicolons, for tables, catalogs and compiled plans; empty: none. "
            "Unset: all. Statements cannot change it."
        )
    )


FIXED_OPTIONS: tuple[ConfigOption[Any], ...] = (
    TableConfigOptions.PLANNER,
    TableConfigOptions.TABLE_CATALOG_NAME,
    TableConfigOptions.TABLE_DATABASE_NAME,
    TableConfigOptions.TABLE_CATALOG_MODIFICATION_LISTENERS,
)
"""Options whose values stay as they are when an environment is made."""

SESSION_OPTIONS: Mapping[str, ConfigOption[Any]] = {
    key: option
    for owner in (
        TableConfigOptions,
        ExecutionConfigOptions,
        OptimizerConfigOptions,
        PipelineOptions,
        PythonOptions,
        SecurityOptions,
        CheckpointingOptions,
        StateRecoveryOptions,
        RestartStrategyOptions,
        MaterializedTableConfigOptions,
    )
    for option in vars(owner).values()
    if isinstance(option, ConfigOption)
    for key in option.all_keys
}
"""Every option of a session by each of its keys."""

OPTIONS_WITHOUT_EFFECT = frozenset(
    option.key
    for option in (
        TableConfigOptions.MAX_LENGTH_GENERATED_CODE,
        PythonOptions.PYTHON_EXECUTABLE,
    )
)
"""Keys of options that are declared because ``TableConfig`` has methods for them; ``KEYS_WITHOUT_EFFECT`` gives the reasons."""
