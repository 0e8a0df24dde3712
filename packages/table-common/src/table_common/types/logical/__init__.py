"""The SQL types, one class each."""

from table_common.types.logical.binary import BinaryStringType, BinaryType, VarBinaryType
from table_common.types.logical.character import MAX_LENGTH, CharacterType, CharType, VarCharType
from table_common.types.logical.collection import ArrayType, MapType, MultisetType
from table_common.types.logical.interval import (
    INTERVALS,
    DayTimeIntervalType,
    DayTimeResolution,
    YearMonthIntervalType,
    YearMonthResolution,
)
from table_common.types.logical.numeric import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    NUMERICS,
    BigIntType,
    BooleanType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    SmallIntType,
    TinyIntType,
)
from table_common.types.logical.root import LogicalType
from table_common.types.logical.row import RowField, RowType, quote_identifier, quote_string
from table_common.types.logical.special import BitmapType, DescriptorType, NullType, RawType, SymbolType, VariantType
from table_common.types.logical.structured import DistinctType, StructuredType
from table_common.types.logical.temporal import (
    TIMESTAMPS,
    DateType,
    LocalZonedTimestampType,
    PrecisionTimeType,
    TimestampKind,
    TimestampType,
    TimeType,
    ZonedTimestampType,
)

__all__ = [
    "APPROXIMATE_NUMERICS",
    "EXACT_INTEGERS",
    "INTERVALS",
    "MAX_LENGTH",
    "NUMERICS",
    "TIMESTAMPS",
    "ArrayType",
    "BigIntType",
    "BinaryStringType",
    "BinaryType",
    "BitmapType",
    "BooleanType",
    "CharType",
    "CharacterType",
    "DateType",
    "DayTimeIntervalType",
    "DayTimeResolution",
    "DecimalType",
    "DescriptorType",
    "DistinctType",
    "DoubleType",
    "FloatType",
    "IntType",
    "LocalZonedTimestampType",
    "LogicalType",
    "MapType",
    "MultisetType",
    "NullType",
    "PrecisionTimeType",
    "RawType",
    "RowField",
    "RowType",
    "SmallIntType",
    "StructuredType",
    "SymbolType",
    "TimeType",
    "TimestampKind",
    "TimestampType",
    "TinyIntType",
    "VarBinaryType",
    "VarCharType",
    "VariantType",
    "YearMonthIntervalType",
    "YearMonthResolution",
    "ZonedTimestampType",
    "quote_identifier",
    "quote_string",
]
