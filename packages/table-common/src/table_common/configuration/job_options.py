"""The options of unbounded jobs: checkpoints, recovery and restarts, in classes named as in Flink."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration.config_option import ConfigOptions


class CheckpointingOptions:
    """Options of checkpoints. They are durable if there is a folder.

    Example:
        >>> CheckpointingOptions.CHECKPOINTS_DIRECTORY.key
        'execution.checkpointing.dir'

    Source: Flink's ``org.apache.flink.configuration.CheckpointingOptions``.
    """

    CHECKPOINTS_DIRECTORY = (
        ConfigOptions.key("execution.checkpointing.dir")
        .string_type()
        .no_default_value()
        .with_description(
            "The folder of the checkpoints of unbounded INSERTs, a path or a URL; each job has a folder in it, named by 'pipeline.name'. The same statement run again "
            "resumes there. Unset: nothing outlives the process."
        )
        .with_deprecated_keys("state.checkpoints.dir")
    )
    CHECKPOINTING_INTERVAL = (
        ConfigOptions.key("execution.checkpointing.interval")
        .duration_type()
        .no_default_value()
        .with_description(
            "How often epochs end, with a checkpoint and a commit of the sinks; unset: as 'table.exec.sink.commit-interval' says."
        )
    )
    MIN_PAUSE_BETWEEN_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.min-pause")
        .duration_type()
        .default_value(timedelta(0))
        .with_description("The least time between the end of a checkpoint and the beginning of the next one.")
    )
    CHECKPOINTING_TIMEOUT = (
        ConfigOptions.key("execution.checkpointing.timeout")
        .duration_type()
        .default_value(timedelta(minutes=10))
        .with_description("A job fails if a checkpoint with its commit takes longer.")
    )
    TOLERABLE_FAILURE_NUMBER = (
        ConfigOptions.key("execution.checkpointing.tolerable-failed-checkpoints")
        .int_type()
        .default_value(0)
        .with_description("How many checkpoints in a row may fail to be written; the epoch then continues until the next one.")
    )
    MAX_RETAINED_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.num-retained")
        .int_type()
        .default_value(3)
        .with_description("How many checkpoints are kept.")
        .with_deprecated_keys("state.checkpoints.num-retained")
    )
    SAVEPOINT_DIRECTORY = (
        ConfigOptions.key("execution.checkpointing.savepoint-dir")
        .string_type()
        .no_default_value()
        .with_description("The folder of savepoints; unset: the folder 'savepoints' of the job.")
        .with_deprecated_keys("state.savepoints.dir")
    )


class StateRecoveryOptions:
    """Options of the beginning of a job.

    Example:
        >>> StateRecoveryOptions.RECOVERY_MODE.default
        'RESUME'

    Source: Flink's ``org.apache.flink.configuration.StateRecoveryOptions``.
    """

    SAVEPOINT_PATH = (
        ConfigOptions.key("execution.state-recovery.path")
        .string_type()
        .no_default_value()
        .with_description("The savepoint, or the checkpoint folder of a job, with which a job begins that has no checkpoints of its own.")
        .with_deprecated_keys("execution.savepoint.path")
    )
    RECOVERY_MODE = (
        ConfigOptions.key("execution.state-recovery.mode")
        .enum_type("RESUME", "FRESH", "REFUSE")
        .default_value("RESUME")
        .with_description("What a job does that has checkpoints: resume after the last one, start over, or fail.")
    )
    SAVEPOINT_IGNORE_UNCLAIMED_STATE = (
        ConfigOptions.key("execution.state-recovery.ignore-unclaimed-state")
        .boolean_type()
        .default_value(False)
        .with_description("Whether a job begins without state that its operators cannot use, instead of failing.")
        .with_deprecated_keys("execution.savepoint.ignore-unclaimed-state")
    )


class RestartStrategyOptions:
    """Options of restarts in this process, after failures of systems such as sources and sinks.

    Example:
        >>> RestartStrategyOptions.FIXED_DELAY_ATTEMPTS.default
        1

    Source: Flink's ``org.apache.flink.configuration.RestartStrategyOptions``.
    """

    RESTART_STRATEGY = (
        ConfigOptions.key("restart-strategy.type")
        .enum_type("none", "disable", "off", "fixed-delay", "exponential-delay")
        .no_default_value()
        .with_description("How a job with checkpoints is restarted when a source or a sink fails; unset: exponential-delay.")
        .with_deprecated_keys("restart-strategy")
    )
    FIXED_DELAY_ATTEMPTS = (
        ConfigOptions.key("restart-strategy.fixed-delay.attempts")
        .int_type()
        .default_value(1)
        .with_description("How often a job is restarted.")
    )
    FIXED_DELAY_DELAY = (
        ConfigOptions.key("restart-strategy.fixed-delay.delay")
        .duration_type()
        .default_value(timedelta(seconds=1))
        .with_description("The time before each restart.")
    )
    EXPONENTIAL_DELAY_INITIAL_BACKOFF = (
        ConfigOptions.key("restart-strategy.exponential-delay.initial-backoff")
        .duration_type()
        .default_value(timedelta(seconds=1))
        .with_description("The time before the first restart.")
    )
    EXPONENTIAL_DELAY_MAX_BACKOFF = (
        ConfigOptions.key("restart-strategy.exponential-delay.max-backoff")
        .duration_type()
        .default_value(timedelta(minutes=1))
        .with_description("The longest time before a restart.")
    )
    EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER = (
        ConfigOptions.key("restart-strategy.exponential-delay.backoff-multiplier")
        .float_type()
        .default_value(1.5)
        .with_description("By what the time before a restart grows.")
    )
    EXPONENTIAL_DELAY_ATTEMPTS = (
        ConfigOptions.key("restart-strategy.exponential-delay.attempts-before-reset-backoff")
        .int_type()
        .default_value(20)
        .with_description("How many restarts without a checkpoint between them are tried.")
    )


class MaterializedTableConfigOptions:
    """How materialized tables are refreshed whose statement does not say it.

    Example:
        >>> MaterializedTableConfigOptions.REFRESH_MODE_FRESHNESS_THRESHOLD.key
        'materialized-table.refresh-mode.freshness-threshold'
    """

    REFRESH_MODE_FRESHNESS_THRESHOLD = (
        ConfigOptions.key("materialized-table.refresh-mode.freshness-threshold")
        .duration_type()
        .default_value(timedelta(minutes=30))
        .with_description(
            "Without REFRESH_MODE, a materialized table with a freshness below it is refreshed continuously, any other one in full."
        )
    )
    DEFAULT_FRESHNESS_CONTINUOUS = (
        ConfigOptions.key("materialized-table.default-freshness.continuous")
        .duration_type()
        .default_value(timedelta(minutes=3))
        .with_description("The freshness of a materialized table that is refreshed continuously, if its statement has none.")
    )
    DEFAULT_FRESHNESS_FULL = (
        ConfigOptions.key("materialized-table.default-freshness.full")
        .duration_type()
        .default_value(timedelta(hours=1))
        .with_description("The freshness of a materialized table that is refreshed in full, if its statement has none.")
    )
    WORKFLOW_SCHEDULER_TYPE = (
        ConfigOptions.key("workflow-scheduler.type")
        .string_type()
        .no_default_value()
        .with_description(
            "What refreshes new materialized tables of the mode FULL: 'embedded', the process 'sql-client --scheduler', or an entry point "
            "of 'table.workflow-schedulers'; unset: statements, and that process if it runs."
        )
    )
