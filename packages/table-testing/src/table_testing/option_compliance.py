"""The contract of factories: refused options, and secrets that are never shown. Needs no engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from table_common.configuration import ConfigOption
from table_common.connector import DynamicTableSink, DynamicTableSource
from table_common.exceptions import TableError
from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
from table_testing.connector_case import SECRET, ConnectorCase, refused


class OptionCompliance(ConnectorCase):
    """How factories handle invalid options."""

    def test_missing_options_are_named(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        for option in self.factory().required_options:
            error = refused(self._make, {key: value for key, value in options.items() if key not in option.all_keys})
            assert option.key in str(error)

    def test_misspelt_options_are_refused_with_the_right_key(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        for option in self._options():
            if option.key == "connector":
                continue
            error = refused(self._make, {**options, f"{option.key}x": "1"})
            assert f"{option.key}x" in str(error)
            assert option.key in str(error).replace(f"{option.key}x", "")

    def test_values_that_cannot_be_read_are_refused_with_the_key(self, tmp_path: Path) -> None:
        options = self.create_table(tmp_path, self.rows)
        for option in self._options():
            if option.type_name != "text":
                assert option.key in str(refused(self._make, {**options, option.key: "no such value"}))

    def test_secrets_are_in_no_summary_and_no_error(self, tmp_path: Path) -> None:
        """Sets all secret options, also those that the table does without."""
        options = {**self.create_table(tmp_path, self.rows), **self.secret_options()}
        shown = []
        for make in self._makers():
            for tried in (options, {**options, "no-such-option": "1"}):
                try:
                    shown.append(make(tried).as_summary_string())
                except TableError as error:
                    shown += [str(error), *map(str, getattr(error, "__notes__", ()))]
        for text in shown:
            assert SECRET not in text, f"a secret option is shown: {text}"

    def _options(self) -> list[ConfigOption[Any]]:
        factory = self.factory()
        return [*factory.required_options, *factory.optional_options]

    def _make(self, options: Mapping[str, str]) -> object:
        return self._makers()[0](options)

    def _makers(self) -> list[Callable[[Mapping[str, str]], DynamicTableSource | DynamicTableSink]]:
        """Returns the factory's methods that create the source and the sink, if it has them."""
        sources = [self.source] if issubclass(self.factory, DynamicTableSourceFactory) else []
        return [*sources, *([self.sink] if issubclass(self.factory, DynamicTableSinkFactory) else [])]
