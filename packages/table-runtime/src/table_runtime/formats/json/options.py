"""The options of JSON formats, named as Flink names them."""

from __future__ import annotations

from table_common.configuration import ConfigOptions, ReadableConfig
from table_runtime.formats.text.forms import JSON_ISO, JSON_SQL, TextForms

DECODE_WITH_PARSER = (
    ConfigOptions.key("decode.json-parser.enabled")
    .boolean_type()
    .default_value(True)
    .with_description("Has no effect: it selects one of two decoders in Flink; this implementation has only one.")
)
FAIL_ON_MISSING_FIELD = (
    ConfigOptions.key("fail-on-missing-field").boolean_type().default_value(False).with_description("Whether a missing field is an error.")
)
IGNORE_PARSE_ERRORS = (
    ConfigOptions.key("ignore-parse-errors")
    .boolean_type()
    .default_value(False)
    .with_description("If true, fields that cannot be read are NULL, and lines that are not objects are skipped.")
)
TIMESTAMP_FORMAT = (
    ConfigOptions.key("timestamp-format.standard")
    .enum_type("SQL", "ISO-8601")
    .default_value("SQL")
    .with_description("The text form of timestamps: date and time separated by a space (SQL) or by T (ISO-8601).")
)
MAP_NULL_KEY_MODE = (
    ConfigOptions.key("map-null-key.mode")
    .enum_type("FAIL", "DROP", "LITERAL")
    .default_value("FAIL")
    .with_description("How map entries with a NULL key are written.")
)
MAP_NULL_KEY_LITERAL = (
    ConfigOptions.key("map-null-key.literal").string_type().default_value("null").with_description("The key that is written for NULL.")
)
DECIMAL_AS_PLAIN_NUMBER = (
    ConfigOptions.key("encode.decimal-as-plain-number")
    .boolean_type()
    .default_value(False)
    .with_description("Whether decimals are written without an exponent.")
)
IGNORE_NULL_FIELDS = (
    ConfigOptions.key("encode.ignore-null-fields")
    .boolean_type()
    .default_value(False)
    .with_description("Whether NULL fields are omitted when rows are written.")
)
WRITING = (TIMESTAMP_FORMAT, MAP_NULL_KEY_MODE, MAP_NULL_KEY_LITERAL, DECIMAL_AS_PLAIN_NUMBER, IGNORE_NULL_FIELDS)
"""Options for writing, of all JSON formats."""


def timestamp_forms(config: ReadableConfig) -> TextForms:
    """Returns the text forms of dates and times according to the options."""
    return JSON_ISO if config.get(TIMESTAMP_FORMAT) == "ISO-8601" else JSON_SQL
