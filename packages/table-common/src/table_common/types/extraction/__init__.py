"""Python annotations to SQL types (FLIP-65's extraction)."""

from table_common.types.extraction.annotations import ExtractedType, extract_type, type_text
from table_common.types.extraction.data_type_hint import DataTypeHint
from table_common.types.extraction.options import ExtractionOptions
from table_common.types.extraction.structured import StructuredClass, structured_class

__all__ = ["DataTypeHint", "ExtractedType", "ExtractionOptions", "StructuredClass", "extract_type", "structured_class", "type_text"]
