"""The methods of ``Expression``, one family per file; each is a call of a built-in function."""

from table_api.expressions.methods.aggregates import AggregateMethods
from table_api.expressions.methods.collections import CollectionMethods
from table_api.expressions.methods.comparison import ComparisonMethods
from table_api.expressions.methods.conversion import ConversionMethods
from table_api.expressions.methods.hashing import HashMethods
from table_api.expressions.methods.intervals import IntervalMethods
from table_api.expressions.methods.json import JsonMethods
from table_api.expressions.methods.math import MathMethods
from table_api.expressions.methods.strings import StringMethods
from table_api.expressions.methods.temporal import TemporalMethods
from table_api.expressions.methods.windows import WindowMethods

__all__ = [
    "AggregateMethods",
    "CollectionMethods",
    "ComparisonMethods",
    "ConversionMethods",
    "HashMethods",
    "IntervalMethods",
    "JsonMethods",
    "MathMethods",
    "StringMethods",
    "TemporalMethods",
    "WindowMethods",
]
