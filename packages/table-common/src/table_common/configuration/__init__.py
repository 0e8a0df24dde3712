"""Options: typed keys and the maps that hold them."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .config_option: ConfigOption ConfigOptions
    .configuration: Configuration ReadableConfig
    .expression_settings: expression_settings
    .job_options: CheckpointingOptions MaterializedTableConfigOptions RestartStrategyOptions StateRecoveryOptions
    .known_keys: ConfigurationWarning HONORED_PREFIXES KEYS_WITHOUT_EFFECT PREFIXES_WITHOUT_EFFECT REFUSED_VALUES why_without_effect
    .memory: available_memory memory_budget
    .processors: available_processors
    .references: resolve_references resolved_options
    .session_options: ExecutionConfigOptions FIXED_OPTIONS OPTIONS_WITHOUT_EFFECT OptimizerConfigOptions PipelineOptions PythonOptions
        SESSION_OPTIONS SecurityOptions TableConfigOptions
    .time_zone: machine_time_zone normalize_zone session_time_zone time_zone_of
    .values: parse_duration
    """,
)
