"""The options of the format ``csv``, named as Flink names them."""

from __future__ import annotations

import codecs

from table_common.configuration import ConfigOption, ConfigOptions


def _character(text: str) -> str:
    decoded = text.encode().decode("unicode_escape") if text.startswith("\\") and len(text) > 1 else text
    if len(decoded) != 1:
        raise ValueError("it must be one character")
    return decoded


def _not_empty(text: str) -> str:
    if not text:
        raise ValueError("it is empty")
    return text


def _character_option(key: str, default: str | None, text: str) -> ConfigOption[str]:
    return ConfigOption(key, _character, "one character", default, text)


# Differs from Flink: the format csv has the options 'header' and 'encoding', which Flink's lacks.
HEADER = (
    ConfigOptions.key("header")
    .boolean_type()
    .default_value(False)
    .with_description(
        "Whether the first record of a file has the names of the columns, which are then found by name; messages have none. "
        "CREATE TABLE without columns detects it."
    )
)


def _encoding(text: str) -> str:
    try:
        codecs.getincrementaldecoder(text)()
        "".encode(text)  # refuses codecs of bytes, such as 'hex'
    except (LookupError, UnicodeError):
        raise ValueError("it is not an encoding that Python knows") from None
    return codecs.lookup(text).name


ENCODING = ConfigOption("encoding", _encoding, "an encoding such as 'latin-1'", "utf-8", "The encoding of files that are read.")
FIELD_DELIMITER = _character_option("field-delimiter", ",", "The separator of fields; '\\t' is a tab.")
QUOTE_CHARACTER = _character_option("quote-character", '"', "The character that encloses fields with special characters.")
DISABLE_QUOTE_CHARACTER = (
    ConfigOptions.key("disable-quote-character")
    .boolean_type()
    .default_value(False)
    .with_description("Whether no character is a quote character.")
)
ESCAPE_CHARACTER = _character_option("escape-character", None, "The character that escapes the next one; default: none.")
ALLOW_COMMENTS = (
    ConfigOptions.key("allow-comments").boolean_type().default_value(False).with_description("Whether lines that begin with # are skipped.")
)
IGNORE_PARSE_ERRORS = (
    ConfigOptions.key("ignore-parse-errors")
    .boolean_type()
    .default_value(False)
    .with_description("If true, fields that cannot be read are NULL, and rows with too many fields are skipped.")
)
NULL_LITERAL = ConfigOptions.key("null-literal").string_type().no_default_value().with_description("The text of NULL.")
ARRAY_ELEMENT_DELIMITER = ConfigOption(
    "array-element-delimiter",
    _not_empty,
    "text that is not empty",
    ";",
    "The separator of the elements of arrays and of the fields of rows.",
)
WRITE_BIGDECIMAL = (
    ConfigOptions.key("write-bigdecimal-in-scientific-notation")
    .boolean_type()
    .default_value(True)
    .with_description("If set to true, decimals are written as '1E+5' where that is shorter; the default has no effect.")
)
