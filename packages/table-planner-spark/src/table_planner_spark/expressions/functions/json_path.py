"""JSON paths in the syntax of Spark's VARIANT functions: ``$["name"][0]``."""

from __future__ import annotations

from table_common.exceptions import TableRuntimeException
from table_common.functions import JsonPath, parse_json_path


def to_spark_path(path: JsonPath) -> str | None:
    """Returns the path in Spark's syntax; None if Spark has none for it: wildcards, slices, several names, positions from the end."""
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
    """Returns a constant path in Spark's syntax and whether it is strict; None if Spark cannot evaluate it or the path is invalid."""
    if not isinstance(path, str):
        return None
    try:
        parsed = parse_json_path(path)
    except TableRuntimeException:  # the kernel used instead raises the error, if there are rows
        return None
    text = to_spark_path(parsed)
    return None if text is None else (text, parsed.is_strict)
