"""Types: logical (SQL), data types (with a Python class), the DSL, text, casts."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .casts: holds_integers_of supports_avoiding_cast supports_explicit_cast supports_implicit_cast
    .conversion: Conversions conversions_of default_conversion supports_input_conversion supports_output_conversion
    .data_type: DataType
    .data_types: AnyType DataTypes IntervalResolution
    .grammar: TYPE_NAMES TypeTokenStream read_type suggest_type_names
    .injective_casts: is_injective_cast
    .instant: Instant
    .lengths: LengthLimit length_limits without_lengths
    .logical: APPROXIMATE_NUMERICS ArrayType BigIntType BinaryStringType BinaryType BitmapType BooleanType CharType CharacterType DateType
        DayTimeIntervalType DayTimeResolution DecimalType DescriptorType DistinctType DoubleType EXACT_INTEGERS FloatType INTERVALS IntType
        LocalZonedTimestampType LogicalType MAX_LENGTH MapType MultisetType NUMERICS NullType PrecisionTimeType RawType RowField RowType
        SmallIntType StructuredType SymbolType TIMESTAMPS TimeType TimestampKind TimestampType TinyIntType VarBinaryType VarCharType
        VariantType YearMonthIntervalType YearMonthResolution ZonedTimestampType quote_identifier quote_string
    .merging: decimal_average_type decimal_division_type decimal_modulo_type decimal_multiplication_type decimal_plus_type
        decimal_rounding_type decimal_sum_type exceed_decimal_digits find_common_type to_decimal_type
    .nested: has_more_parts is_deeper types_in
    .parser: parse_logical_type
    .period: Period
    .required_parts: RequiredPart required_parts without_required_parts
    .time_attributes: at_least_milliseconds is_proctime is_rowtime is_time_attribute plain_timestamp timestamp_kind
    .type_names: find_named_type named_types
    """,
)
