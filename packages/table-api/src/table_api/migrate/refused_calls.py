"""Methods of PyFlink that have no meaning here, each with what takes its place: one home for the tool, the classes and the page."""

from __future__ import annotations

from table_api.environment_settings import PLANNER_HINT, PLANNER_METHODS
from table_common.exceptions import ValidationException

REFUSED_METHODS = {
    **dict.fromkeys(PLANNER_METHODS, PLANNER_HINT),
    "add_classpaths": "jars are not loaded: connectors and formats are Python distributions, installed with pip",
    "add_jars": "jars are not loaded: connectors and formats are Python distributions, installed with pip",
    "add_source": "a table of a connector takes its place: CREATE TABLE … WITH ('connector' = …)",
    "as_smile_bytes": "plans are JSON: as_json_string()",
    "attach_as_datastream": "there are no data streams: execute() runs the statement set",
    "create_temporary_table_function": "register a function made with udtf(…): create_temporary_system_function('name', function)",
    "create_temporal_table_function": (
        "a versioned table takes its place: a table with PRIMARY KEY and WATERMARK, joined with FOR SYSTEM_TIME AS OF the time of the other side"
    ),
    "create_java_function": "functions of Java do not run in Python: write it in Python and call create_function",
    "create_java_temporary_function": "functions of Java do not run in Python: write it in Python and call create_temporary_function",
    "create_java_temporary_system_function": (
        "functions of Java do not run in Python: write it in Python and call create_temporary_system_function"
    ),
    "enable_checkpointing": "jobs of bounded data have no checkpoints: leave it out",
    "from_smile_bytes": "plans are JSON: from_json_string(…)",
    "from_source": "a table of a connector takes its place: CREATE TABLE … WITH ('connector' = …)",
    "generate_sequence": "a table of the connector 'datagen' takes its place, with fields of the kind 'sequence'",
    "from_sequence": "a table of the connector 'datagen' takes its place, with fields of the kind 'sequence'",
    "get_gateway": "there is no Java virtual machine in the process",
    "read_text_file": "a table of the connector 'filesystem' with the format 'raw' takes its place",
    "register_table_sink": "a table with the options of a connector takes its place: create_temporary_table",
    "register_table_source": "a table with the options of a connector takes its place: create_temporary_table",
    "set_restart_strategy": "a job that failed is run again by the program",
    "set_state_backend": "state is in memory: leave it out",
    "set_stream_time_characteristic": "a WATERMARK in the schema of a table makes event time: leave it out",
}
"""By the name of the method: what takes its place."""
STREAM_METHODS = {
    "map": "Table.map(udf(…))",
    "flat_map": "Table.flat_map(udtf(…))",
    "filter": "Table.filter(…)",
    "key_by": "Table.group_by(…)",
    "window_all": "Table.window(…)",
    "union": "Table.union_all(…)",
    "connect": "Table.join(…)",
    "process": "a function with udf, udtf or udaf",
    "project": "Table.select(…)",
    "assign_timestamps_and_watermarks": "a WATERMARK in the schema of the table",
    "add_sink": "Table.execute_insert(…)",
    "sink_to": "Table.execute_insert(…)",
}
"""Methods of a stream, each with what takes its place."""


def refused_call(owner: str, method: str) -> ValidationException:
    """Returns the error for a call of a method that is refused; its hint is what takes its place.

    Example:
        >>> print(refused_call("StreamExecutionEnvironment", "read_text_file"))
        StreamExecutionEnvironment.read_text_file does not exist here.
        hint: A table of the connector 'filesystem' with the format 'raw' takes its place.
    """
    why = REFUSED_METHODS[method]
    return ValidationException(f"{owner}.{method} does not exist here.", hint=f"{why[0].upper()}{why[1:]}.")


def refusal_of(method: str) -> str | None:
    """Returns what takes the place of a method of PyFlink that is refused; None if it is not.

    Example:
        >>> refusal_of("add_jars")
        'jars are not loaded: connectors and formats are Python distributions, installed with pip'
    """
    return REFUSED_METHODS.get(method)
