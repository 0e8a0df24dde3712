"""The options of the format ``protobuf``."""

from __future__ import annotations

from table_common.configuration import ConfigOptions

MESSAGE_CLASS_NAME = (
    ConfigOptions.key("message-class-name")
    .string_type()
    .no_default_value()
    .with_description("The full name of the message type, such as 'shop.v1.Order'.")
)
DESCRIPTOR_SET_FILE = (
    ConfigOptions.key("descriptor-set-file")
    .string_type()
    .no_default_value()
    .with_description("The file that 'protoc --include_imports --descriptor_set_out=…' writes.")
)
DESCRIPTOR_SET = (
    ConfigOptions.key("descriptor-set")
    .string_type()
    .no_default_value()
    .with_description("The content of a descriptor set in Base64, instead of a file.")
)
IGNORE_PARSE_ERRORS = (
    ConfigOptions.key("ignore-parse-errors")
    .boolean_type()
    .default_value(False)
    .with_description("Whether messages that cannot be read are skipped.")
)
READ_DEFAULT_VALUES = (
    ConfigOptions.key("read-default-values")
    .boolean_type()
    .default_value(False)
    .with_description("If true, fields that are not set have their default value instead of NULL, if the message distinguishes the two.")
)
WRITE_NULL_STRING_LITERAL = (
    ConfigOptions.key("write-null-string-literal")
    .string_type()
    .default_value("")
    .with_description("The text that is written for NULL inside arrays and maps of text.")
)
