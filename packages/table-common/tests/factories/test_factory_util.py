"""Finding the factories that a table names, in the version asked for, and validating its options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, Factory, FactoryUtil, FormatFactory
from table_common.types import IntType

TOPIC = ConfigOptions.key("topic").string_type().no_default_value().with_deprecated_keys("queue")
KEY_FORMAT = ConfigOptions.key("key.format").string_type().no_default_value()
LIMIT = ConfigOptions.key("limit").int_type().default_value(1).with_fallback_keys("max")


class Letters(FormatFactory):
    @property
    def factory_identifier(self) -> str:
        return "letters"

    @property
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (ConfigOptions.key("case").string_type().no_default_value(),)


class NewLetters(Letters):
    @property
    def factory_version(self) -> str | None:
        return "2"


class Mail(DynamicTableFactory):
    @property
    def factory_identifier(self) -> str:
        return "mail"

    @property
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (TOPIC,)

    @property
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (FactoryUtil.FORMAT, KEY_FORMAT, LIMIT)


@pytest.fixture
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Installs entry points whose objects are in this file."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "letters_module", type("M", (), {"Letters": Letters, "NewLetters": NewLetters}))
    return tmp_path


def install(site: Path, *entries: str) -> None:
    folder = site / "letters-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: letters\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[table.formats]\n" + "\n".join(entries))


def context(options: Mapping[str, str]) -> DynamicTableFactory.Context:
    schema = Schema.new_builder().column("a", IntType()).build()
    table = ResolvedCatalogTable(CatalogTable(schema, options=options), ResolvedSchema.physical([("a", IntType())]))
    return DynamicTableFactory.Context(ObjectIdentifier("c", "d", "inbox"), table, ReadableConfig())


def validate(options: Mapping[str, str]) -> ReadableConfig:
    helper = FactoryUtil.create_table_factory_helper(Mail(), context(options))
    for option in (FactoryUtil.FORMAT, KEY_FORMAT):
        helper.discover_optional_format(FormatFactory, option)
    return helper.validate()


def test_a_version_is_found_by_its_option(formats: Path) -> None:
    install(formats, "letters = letters_module:Letters", "letters@2 = letters_module:NewLetters")
    found = FactoryUtil.find(FormatFactory, context({"format": "letters", "format.version": "2"}), FactoryUtil.FORMAT)
    assert found.factory_version == "2"


def test_without_a_version_the_factory_without_one_is_found(formats: Path) -> None:
    install(formats, "letters = letters_module:Letters", "letters@2 = letters_module:NewLetters")
    assert FactoryUtil.find(FormatFactory, context({"format": "letters"}), FactoryUtil.FORMAT).factory_version is None


def test_the_only_version_needs_no_name(formats: Path) -> None:
    install(formats, "letters@2 = letters_module:NewLetters")
    assert FormatFactory.discover("letters").factory_version == "2"


def test_several_versions_have_to_be_chosen_from(formats: Path) -> None:
    install(formats, "letters@1 = letters_module:Letters", "letters@2 = letters_module:NewLetters")
    with pytest.raises(ValidationException, match=r"'letters' is installed in several versions\. Installed: '1', '2'"):
        FormatFactory.discover("letters")


def test_a_version_that_is_not_installed_names_those_that_are(formats: Path) -> None:
    install(formats, "letters = letters_module:Letters", "letters@2 = letters_module:NewLetters")
    with pytest.raises(ValidationException, match=r"has no version '3'\. Installed: '2', without version"):
        FactoryUtil.find(FormatFactory, context({"format": "letters", "format.version": "3"}), FactoryUtil.FORMAT)


def test_identifiers_have_no_versions(formats: Path) -> None:
    install(formats, "letters = letters_module:Letters", "letters@2 = letters_module:NewLetters")
    assert FormatFactory.identifiers().count("letters") == 1


def test_a_missing_format_names_those_installed(formats: Path) -> None:
    install(formats, "letters = letters_module:Letters")
    with pytest.raises(ValidationException, match=r"Table c\.d\.inbox needs the option 'format'. Installed formats: .*letters"):
        FactoryUtil.find(FormatFactory, context({}), FactoryUtil.FORMAT)


def test_options_of_formats_are_checked_under_their_prefix(formats: Path) -> None:
    install(formats, "letters = letters_module:Letters")
    options = {"connector": "mail", "topic": "t", "format": "letters", "letters.case": "upper", "key.format": "letters"}
    assert validate(options | {"key.letters.case": "lower", "connector.version": "1"}).get(TOPIC) == "t"
    with pytest.raises(ValidationException, match=r"begin with 'key\.letters\.'.*unknown: 'cas' \(did you mean 'case'\?\)"):
        validate(options | {"key.letters.cas": "lower"})


def test_left_over_keys_are_named_with_the_closest(formats: Path) -> None:
    with pytest.raises(ValidationException, match=r"missing: topic; unknown: 'limmit' \(did you mean 'limit'\?\)"):
        validate({"connector": "mail", "limmit": "3"})


def test_deprecated_and_fallback_keys_count() -> None:
    config = validate({"connector": "mail", "queue": "q", "max": "7"})
    assert (config.get(TOPIC), config.get(LIMIT)) == ("q", 7)


def test_keys_of_others_are_passed_over() -> None:
    helper = FactoryUtil.create_table_factory_helper(Mail(), context({"topic": "t", "properties.x": "1"}))
    assert "properties.x" in helper.validate_except("properties.")
    with pytest.raises(ValidationException, match=r"properties\.x"):
        helper.validate()


def test_a_factory_of_another_kind_is_refused() -> None:
    assert issubclass(Mail, Factory)
    with pytest.raises(ValidationException, match="No format 'mail' is installed"):
        FactoryUtil.find(FormatFactory, context({"format": "mail"}), FactoryUtil.FORMAT)
