"""The way to and from Arrow: types, schemas, record batches. The one package here that imports pyarrow."""

from table_common.arrow.schema import (
    LOGICAL_TYPE_KEY,
    from_arrow_field,
    from_arrow_schema,
    to_arrow_field,
    to_arrow_schema,
    to_arrow_type,
)

__all__ = [
    "LOGICAL_TYPE_KEY",
    "from_arrow_field",
    "from_arrow_schema",
    "to_arrow_field",
    "to_arrow_schema",
    "to_arrow_type",
]
