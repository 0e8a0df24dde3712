"""Java's regular expressions: read, and written for Python's engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.java_patterns.cost import is_costly_java_pattern
    from table_common.java_patterns.group_values import optional_groups
    from table_common.java_patterns.pattern import JavaPattern, read_java_pattern
    from table_common.java_patterns.reader import UnsupportedJavaPattern
    from table_common.java_patterns.writer import PythonPattern, write_python_pattern

__all__ = [
    "JavaPattern",
    "PythonPattern",
    "UnsupportedJavaPattern",
    "is_costly_java_pattern",
    "optional_groups",
    "read_java_pattern",
    "write_python_pattern",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.java_patterns.cost": ("is_costly_java_pattern",),
        "table_common.java_patterns.group_values": ("optional_groups",),
        "table_common.java_patterns.pattern": (
            "JavaPattern",
            "read_java_pattern",
        ),
        "table_common.java_patterns.reader": ("UnsupportedJavaPattern",),
        "table_common.java_patterns.writer": (
            "PythonPattern",
            "write_python_pattern",
        ),
    },
)
