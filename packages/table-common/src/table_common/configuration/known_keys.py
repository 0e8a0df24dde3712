"""Flink's option keys: which are honored, which have no effect here, and which are refused.

A key that is honored is a ``SESSION_OPTIONS`` declaration, or has a prefix of ``HONORED_PREFIXES``. A key without effect is accepted, because
programs written for Flink set it; a warning says why it has no effect. A key is refused if accepting it would silently change the
meaning of a program.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from table_common.configuration.session_options import SESSION_OPTIONS, PythonOptions, TableConfigOptions
from table_common.exceptions import closest


class ConfigurationWarning(UserWarning):
    """An option was set that is not known, or that has no effect here.

    Example:
        >>> issubclass(ConfigurationWarning, UserWarning)
        True
    """


HONORED_PREFIXES: Mapping[str, str] = {
    "spark.": "options of Spark, which the planner 'spark' passes on",
    "sql-client.": "options of the SQL client, which checks them itself",
    "table.catalog-store.": "the catalog store and its own options",
    "workflow-scheduler.": "the scheduler of materialized tables and its own options",
}
"""The beginnings of keys that are not checked here, each with what they are."""

_STATE = "the state of streaming queries is kept in memory while the job runs"
_EVENT_TIME = "operators in event time follow the watermark alone, row by row"
_ASYNCHRONOUS = "an asynchronous function declares capacity, timeout, max_attempts and retry_delay itself"
_PLANNED_BY_ENGINE = "the engine chooses how a query is planned and run"
_MEMORY = "the engine manages its memory itself"
_NO_CODE = "no engine here generates code"
_DELTA_JOIN = "no engine here has delta joins"

KEYS_WITHOUT_EFFECT: Mapping[str, str] = {
    key: reason
    for reason, keys in {
        _STATE: (
            "table.exec.async-state.enabled",
            "table.exec.rank.topn-cache-size",
            "table.exec.sink.keyed-shuffle",
            "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.high",
            "table.exec.sink.upsert-materialize-strategy.adaptive.threshold.low",
            "table.exec.sink.upsert-materialize-strategy.type",
            "table.exec.uid.format",
            "table.exec.uid.generation",
        ),
        _EVENT_TIME: (
            "table.exec.deduplicate.insert-update-after-sensitive-enabled",
            "table.exec.deduplicate.mini-batch.compact-changes-enabled",
            "table.exec.interval-join.min-cleanup-interval",
            "table.exec.sink.rowtime-inserter",
            "table.exec.unbounded-over.version",
        ),
        "window aggregates update one accumulator per group and slice, and buffer no rows": ("table.exec.window-agg.buffer-size-limit",),
        _ASYNCHRONOUS: (
            "table.exec.async-scalar.max-attempts",
            "table.exec.async-scalar.max-concurrent-operations",
            "table.exec.async-scalar.retry-delay",
            "table.exec.async-scalar.retry-strategy",
            "table.exec.async-scalar.timeout",
            "table.exec.async-table.max-concurrent-operations",
            "table.exec.async-table.max-retries",
            "table.exec.async-table.retry-delay",
            "table.exec.async-table.retry-strategy",
            "table.exec.async-table.timeout",
        ),
        "results of an asynchronous lookup are always in the order of the rows": (
            "table.exec.async-lookup.key-ordered-enabled",
            "table.exec.async-lookup.output-mode",
        ),
        "rows of an asynchronous ML_PREDICT are always in the order of its table": ("table.exec.async-ml-predict.output-mode",),
        "rows of an asynchronous VECTOR_SEARCH are always in the order of its table": ("table.exec.async-vector-search.output-mode",),
        _DELTA_JOIN: (
            "table.exec.delta-join.cache-enabled",
            "table.exec.delta-join.left.cache-size",
            "table.exec.delta-join.right.cache-size",
            "table.optimizer.delta-join.strategy",
        ),
        _PLANNED_BY_ENGINE: (
            "table.optimizer.incremental-agg-enabled",
            "table.exec.disabled-operators",
            "table.exec.local-hash-agg.adaptive.distinct-value-rate-threshold",
            "table.exec.local-hash-agg.adaptive.enabled",
            "table.exec.local-hash-agg.adaptive.sampling-threshold",
            "table.exec.shuffle-mode",
            "table.exec.simplify-operator-name-enabled",
            "table.exec.sort.async-merge-enabled",
            "table.optimizer.adaptive-broadcast-join.strategy",
            "table.optimizer.agg-phase-strategy",
            "table.optimizer.bushy-join-reorder-threshold",
            "table.optimizer.distinct-agg.split.bucket-num",
            "table.optimizer.distinct-agg.split.enabled",
            "table.optimizer.join-reorder-enabled",
            "table.optimizer.join.broadcast-threshold",
            "table.optimizer.multi-join.enabled",
            "table.optimizer.multiple-input-enabled",
            "table.optimizer.ptf.max-tables",
            "table.optimizer.reuse-optimize-block-with-digest-enabled",
            "table.optimizer.reuse-sink-enabled",
            "table.optimizer.runtime-filter.enabled",
            "table.optimizer.runtime-filter.max-build-data-size",
            "table.optimizer.runtime-filter.min-filter-ratio",
            "table.optimizer.runtime-filter.min-probe-data-size",
            "table.optimizer.skewed-join-optimization.skewed-factor",
            "table.optimizer.skewed-join-optimization.skewed-threshold",
            "table.optimizer.skewed-join-optimization.strategy",
            "table.optimizer.source.aggregate-pushdown-enabled",
            "table.optimizer.sql2rel.project-merge.enabled",
            "table.optimizer.union-all-as-breakpoint-enabled",
        ),
        _MEMORY: (
            "table.exec.resource.external-buffer-memory",
            "table.exec.resource.hash-agg.memory",
            "table.exec.resource.hash-join.memory",
            "table.exec.resource.sort.memory",
            "table.exec.sort.max-num-file-handles",
            "table.exec.spill-compression.block-size",
        ),
        _NO_CODE: (
            TableConfigOptions.MAX_LENGTH_GENERATED_CODE.key,
            "table.exec.operator-fusion-codegen.enabled",
            "table.generated-code.max-members",
        ),
        "the planner 'spark' runs Python workers with the interpreter of spark.pyspark.python, the embedded engine has none": (
            PythonOptions.PYTHON_EXECUTABLE.key,
            "python.client.executable",
        ),
    }.items()
    for key in keys
}
"""Flink's keys that are accepted without effect, each with the reason that a warning gives."""

_CLUSTER = "it configures a Flink cluster, and there is none"
_FUNCTION_WORKERS = "it configures Flink's Python workers, and there are none"

PREFIXES_WITHOUT_EFFECT: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "akka.",
            "blob.",
            "cleanup-strategy.",
            "client.",
            "cluster.",
            "containerized.",
            "env.",
            "execution.",
            "external-resource",
            "fs.",
            "heartbeat.",
            "high-availability",
            "historyserver.",
            "io.",
            "job-event.",
            "jobmanager.",
            "jobstore.",
            "kubernetes.",
            "metrics.",
            "parallelism.",
            "pekko.",
            "pipeline.",
            "queryable-state.",
            "resourcemanager.",
            "rest.",
            "restart-strategy",
            "s3.",
            "security.",
            "slot.",
            "slotmanager.",
            "sql-gateway.",
            "state.",
            "taskmanager.",
            "web.",
            "yarn.",
            "zookeeper.",
        ),
        _CLUSTER,
    ),
    "python.fn-execution.": _FUNCTION_WORKERS,
    "python.map-state.": _FUNCTION_WORKERS,
    "python.state.": _FUNCTION_WORKERS,
    "python.metric.": _FUNCTION_WORKERS,
    "python.operator-chaining.": _FUNCTION_WORKERS,
    "python.profile.": _FUNCTION_WORKERS,
    "python.systemenv.": _FUNCTION_WORKERS,
    "python.execution-mode": _FUNCTION_WORKERS,
    "python.pythonpath": "user functions in this process import from sys.path; 'python.files' adds to it",
}
"""The beginnings of further keys of Flink that are accepted without effect, each with the reason."""

REFUSED_VALUES: Mapping[str, tuple[Collection[str], str]] = {
    "table.legacy-nested-row-nullability": (("false",), "nested rows keep their nullability"),
    # Differs from Flink: the strategy TRY_RESOLVE for updates by non-deterministic functions and lookup joins is refused. Flink keeps their first results as state.
    "table.optimizer.non-deterministic-update.strategy": (
        ("ignore",),
        "functions are evaluated again for retractions, and their first results are not kept; EXPLAIN PLAN_ADVICE reports such functions",
    ),
}
"""Keys with the values, in lower case, that are accepted; other values request behavior that is not implemented."""

_MAX_SHOWN = 200
"""How many characters of a key are shown: the longest known one has fewer, and what is set may be a text of megabytes."""


def why_without_effect(key: str) -> str | None:
    """Returns the warning for a key that is unknown or has no effect; None for a key with an effect.

    Example:
        >>> why_without_effect("table.generated-code.max-length")
        "The option 'table.generated-code.max-length' has no effect: no engine here generates code."
    """
    reason = KEYS_WITHOUT_EFFECT.get(key)
    if reason is None and (key in SESSION_OPTIONS or key in REFUSED_VALUES or key.startswith(tuple(HONORED_PREFIXES))):
        return None
    import difflib  # only where a key is unusual

    shown = key if len(key) <= _MAX_SHOWN else f"{key[:_MAX_SHOWN]}…"
    known = (*SESSION_OPTIONS, *KEYS_WITHOUT_EFFECT, *REFUSED_VALUES)
    misspelt = difflib.get_close_matches(key, known, n=1, cutoff=0.9)
    if reason is None and not misspelt:
        reason = next((said for prefix, said in PREFIXES_WITHOUT_EFFECT.items() if key.startswith(prefix)), None)
    if reason is not None:
        return f"The option '{shown}' has no effect: {reason}."
    similar = misspelt or closest(key, known, limit=1)
    return f"The option '{shown}' is not known and has no effect{f'; did you mean {similar[0]!r}?' if similar else '.'}"
