"""Expressions of the Table API: ``from table_api.expressions import col, lit``."""

from table_api.expressions.api import *  # noqa: F403
from table_api.expressions.api import __all__ as _api
from table_api.expressions.expression import Expression
from table_api.expressions.symbols import (
    JsonExistsOnError,
    JsonOnNull,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
    TimeIntervalUnit,
    TimePointUnit,
)

__all__ = [
    "Expression",
    "JsonExistsOnError",
    "JsonOnNull",
    "JsonQueryOnEmptyOrError",
    "JsonQueryWrapper",
    "JsonType",
    "JsonValueOnEmptyOrError",
    "TimeIntervalUnit",
    "TimePointUnit",
    *_api,
]
