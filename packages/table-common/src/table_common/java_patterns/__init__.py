"""Java's regular expressions: read, and written for Python's engines."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .cost: is_costly_java_pattern
    .group_values: optional_groups
    .pattern: JavaPattern read_java_pattern
    .reader: UnsupportedJavaPattern
    .writer: PythonPattern write_python_pattern
    """,
)
