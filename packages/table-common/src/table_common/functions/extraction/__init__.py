"""Extracts the type inference of user functions from annotations and hints of their methods (FLIP-65)."""

from table_common.functions.extraction.extracted import ExtractedFunction, extract_function
from table_common.functions.extraction.signature import Parameter, Signature

__all__ = ["ExtractedFunction", "Parameter", "Signature", "extract_function"]
