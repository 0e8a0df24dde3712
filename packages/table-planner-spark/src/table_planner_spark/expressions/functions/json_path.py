"""JSON paths as Spark's VARIANT functions take them: ``$["name"][0]``."""

from __future__ import annotations

from table_common.exceptions import TableRuntimeException
from table_common.functions import JsonPath, parse_json_path

__all__ = ["spark_path_of", "to_spark_path"]


def to_spark_path(path: JsonPath) -> str | None:
    """Returns the text of the path for Spark; None if Spark cannot follow it: wildcards, slices, several names, positions from the end."""
    steps = ["$"]
    for step in path.steps:
        if not step.is_definite:
            return None
        (key,) = step.keys
        if isinstance(key, int):
            if key < 0:
                return None
            steps.append(f"[{key}]")
        elif '"' in key or "\\" in key:
            return None
        else:
            steps.append(f'["{key}"]')
    return "".join(steps)


def spark_path_of(path: object) -> tuple[str, bool] | None:
    """Returns the text for Spark of a constant path, and whether it is strict; None for what Spark cannot follow, a wrong path included."""
    if not isinstance(path, str):
        return None
    try:
        parsed = parse_json_path(path)
    except TableRuntimeException:  # the kernel that runs in its place raises it if there are rows
        return None
    text = to_spark_path(parsed)
    return None if text is None else (text, parsed.is_strict)
