"""The options of the format ``csv``, named as Flink names them."""

from __future__ import annotations

from table_common.configuration import ConfigOption, ConfigOptions

__all__ = [
    "ALLOW_COMMENTS",
    "ARRAY_ELEMENT_DELIMITER",
    "DISABLE_QUOTE_CHARACTER",
    "ESCAPE_CHARACTER",
    "FIELD_DELIMITER",
    "IGNORE_PARSE_ERRORS",
    "NULL_LITERAL",
    "QUOTE_CHARACTER",
    "WRITE_BIGDECIMAL",
]


def _character(text: str) -> str:
    decoded = text.encode().decode("unicode_escape") if text.startswith("\\") and len(text) > 1 else text
    if len(decoded) != 1:
        raise ValueError("it is not one character")
    return decoded


def _character_option(key: str, default: str | None, text: str) -> ConfigOption[str]:
    return ConfigOption(key, _character, "one character", default, text)


FIELD_DELIMITER = _character_option("field-delimiter", ",", "What separates fields; '\\t' is a tab.")
QUOTE_CHARACTER = _character_option("quote-character", '"', "What encloses fields that contain special characters.")
DISABLE_QUOTE_CHARACTER = (
    ConfigOptions.key("disable-quote-character").boolean_type().default_value(False).with_description("No character is a quote.")
)
ESCAPE_CHARACTER = _character_option("escape-character", None, "What makes the next character plain; unset: nothing.")
ALLOW_COMMENTS = (
    ConfigOptions.key("allow-comments").boolean_type().default_value(False).with_description("Lines that begin with # are skipped.")
)
IGNORE_PARSE_ERRORS = (
    ConfigOptions.key("ignore-parse-errors")
    .boolean_type()
    .default_value(False)
    .with_description("Fields that cannot be read are NULL and rows with too many fields are skipped.")
)
NULL_LITERAL = ConfigOptions.key("null-literal").string_type().no_default_value().with_description("The text that stands for NULL.")
ARRAY_ELEMENT_DELIMITER = (
    ConfigOptions.key("array-element-delimiter")
    .string_type()
    .default_value(";")
    .with_description("What separates the elements of arrays and the fields of rows.")
)
WRITE_BIGDECIMAL = (
    ConfigOptions.key("write-bigdecimal-in-scientific-notation")
    .boolean_type()
    .default_value(True)
    .with_description("Decimals are written as '1E+5' where that is shorter; taken into account only where it is given.")
)
