"""Options: typed keys and the maps that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.configuration.config_option import ConfigOption, ConfigOptions
    from table_common.configuration.configuration import Configuration, ReadableConfig
    from table_common.configuration.expression_settings import expression_settings
    from table_common.configuration.job_options import CheckpointingOptions, RestartStrategyOptions, StateRecoveryOptions
    from table_common.configuration.known_keys import (
        HONORED_PREFIXES,
        KEYS_WITHOUT_EFFECT,
        PREFIXES_WITHOUT_EFFECT,
        REFUSED_VALUES,
        ConfigurationWarning,
        why_without_effect,
    )
    from table_common.configuration.memory import available_memory, memory_budget
    from table_common.configuration.references import resolve_references, resolved_options
    from table_common.configuration.session_options import (
        OPTIONS_WITHOUT_EFFECT,
        SESSION_OPTIONS,
        ExecutionConfigOptions,
        OptimizerConfigOptions,
        PipelineOptions,
        PythonOptions,
        SecurityOptions,
        TableConfigOptions,
    )
    from table_common.configuration.time_zone import machine_time_zone, normalize_zone, session_time_zone, time_zone_of
    from table_common.configuration.values import parse_duration

__all__ = [
    "HONORED_PREFIXES",
    "KEYS_WITHOUT_EFFECT",
    "OPTIONS_WITHOUT_EFFECT",
    "PREFIXES_WITHOUT_EFFECT",
    "REFUSED_VALUES",
    "SESSION_OPTIONS",
    "CheckpointingOptions",
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "ConfigurationWarning",
    "ExecutionConfigOptions",
    "OptimizerConfigOptions",
    "PipelineOptions",
    "PythonOptions",
    "ReadableConfig",
    "RestartStrategyOptions",
    "SecurityOptions",
    "StateRecoveryOptions",
    "TableConfigOptions",
    "available_memory",
    "expression_settings",
    "machine_time_zone",
    "memory_budget",
    "normalize_zone",
    "parse_duration",
    "resolve_references",
    "resolved_options",
    "session_time_zone",
    "time_zone_of",
    "why_without_effect",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.configuration.config_option": ("ConfigOption", "ConfigOptions"),
        "table_common.configuration.configuration": ("Configuration", "ReadableConfig"),
        "table_common.configuration.job_options": ("CheckpointingOptions", "RestartStrategyOptions", "StateRecoveryOptions"),
        "table_common.configuration.expression_settings": ("expression_settings",),
        "table_common.configuration.known_keys": (
            "HONORED_PREFIXES",
            "KEYS_WITHOUT_EFFECT",
            "PREFIXES_WITHOUT_EFFECT",
            "REFUSED_VALUES",
            "ConfigurationWarning",
            "why_without_effect",
        ),
        "table_common.configuration.memory": ("available_memory", "memory_budget"),
        "table_common.configuration.references": ("resolve_references", "resolved_options"),
        "table_common.configuration.session_options": (
            "OPTIONS_WITHOUT_EFFECT",
            "SESSION_OPTIONS",
            "ExecutionConfigOptions",
            "OptimizerConfigOptions",
            "PipelineOptions",
            "PythonOptions",
            "SecurityOptions",
            "TableConfigOptions",
        ),
        "table_common.configuration.time_zone": ("machine_time_zone", "normalize_zone", "session_time_zone", "time_zone_of"),
        "table_common.configuration.values": ("parse_duration",),
    },
)
