"""Runs the same statements over the connector's table and over in-memory rows, on every installed engine: push-down must not change results.

Nothing here imports an engine or the API: they are loaded by name if discovery finds them. ``engines`` says which ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar

from table_common.connector.sink.abilities import SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
from table_common.types import EXACT_INTEGERS, DataTypes, LogicalType
from table_testing.connector_case import ConnectorCase, Row, new_folder, same_rows


class SqlCompliance(ConnectorCase):
    """Runs SQL on all engines; the connector must be installed, so that its entry point is found.

    Example:
        >>> class TestPages(SqlCompliance):
        ...     schema = "id BIGINT NOT NULL, name STRING"
        ...     engines = ("arrow",)
        >>> TestPages().queries()[0]
        'SELECT * FROM {t}'
    """

    engines: ClassVar[tuple[str, ...] | None] = None
    """The engines to run on; None: all that are installed."""
    external: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Additional arguments of environments, by engine, such as a shared Spark session."""

    def test_sql_gives_the_same_rows_with_and_without_push_down(
        self, tmp_path: Path, record_property: Callable[[str, object], None]
    ) -> None:
        if not issubclass(self.factory, DynamicTableSourceFactory):
            return
        options = self.create_table(tmp_path, self.rows)
        ran = []
        expected: dict[str, list[Row]] = {}  # of the first engine: the others give the same
        for engine in self._engines():
            with self._environment(engine) as environment:
                self._declare(environment, "tested", options)
                environment.create_temporary_view("plain", self._plain(environment))
                for query in self.queries():
                    found = _rows(environment, query.replace("{t}", "tested"))
                    if query not in expected:
                        expected[query] = _rows(environment, query.replace("{t}", "plain"))
                    assert same_rows(found, expected[query]), f"{engine}: {query} gave {found} instead of {expected[query]}"
            ran.append(engine)
        self._tell(ran, record_property)

    def test_sql_looks_rows_up(self, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
        from table_common.connector import LookupTableSource

        options = self.create_table(tmp_path, self.rows)
        if not issubclass(self.factory, DynamicTableSourceFactory) or not isinstance(self.source(options), LookupTableSource):
            return
        key = self.row_type.fields[0].name
        names = ", ".join(f"d.`{field.name}`" for field in self.row_type.fields)
        ran = []
        for engine in self._engines():
            with self._environment(engine) as environment:
                self._declare(environment, "tested", options)
                environment.create_temporary_view("plain", self._plain(environment))
                environment.execute_sql(f"CREATE TEMPORARY VIEW asked AS SELECT `{key}` AS k, PROCTIME() AS pt FROM plain")
                for kind in ("JOIN", "LEFT JOIN"):
                    found = _rows(
                        environment,
                        f"SELECT o.k, {names} FROM asked AS o {kind} tested FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.`{key}`",
                    )
                    assert same_rows(found, [(row[0], *row) for row in self.rows]), f"{engine}: {kind} gave {found}"
                for condition, holds in (("IS NULL", True), ("IS NOT NULL", False)):
                    last = self.row_type.fields[-1].name
                    found = _rows(
                        environment,
                        f"SELECT o.k, {names} FROM asked AS o JOIN tested FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.`{key}` "
                        f"AND d.`{last}` {condition}",
                    )
                    wanted = [(row[0], *row) for row in self.rows if (row[-1] is None) is holds]
                    assert same_rows(found, wanted), f"{engine}: a lookup with {condition} gave {found}"
            ran.append(engine)
        self._tell(ran, record_property)

    def test_sql_inserts_rows(self, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
        if not issubclass(self.factory, DynamicTableSinkFactory) or type(self).stored_rows is ConnectorCase.stored_rows:
            return
        ran = []
        for engine in self._engines():
            folder = tmp_path / engine
            folder.mkdir()
            options = self.create_table(folder, [])
            with self._environment(engine) as environment:
                self._declare(environment, "tested", options)
                environment.create_temporary_view("plain", self._plain(environment))
                environment.execute_sql("INSERT INTO tested SELECT * FROM plain").wait()
                assert same_rows(self.stored_rows(options), self.rows), f"{engine}: {self.stored_rows(options)}"
            ran.append(engine)
        self._tell(ran, record_property)

    def test_sql_inserts_no_rows(self, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
        if not issubclass(self.factory, DynamicTableSinkFactory) or type(self).stored_rows is ConnectorCase.stored_rows:
            return
        ran = []
        for engine in self._engines():
            options = self.create_table(new_folder(tmp_path, engine), self.rows)
            before = self.stored_rows(options)
            with self._environment(engine) as environment:
                self._declare(environment, "tested", options)
                environment.create_temporary_view("plain", self._plain(environment))
                name = self.row_type.fields[0].name
                environment.execute_sql(f"INSERT INTO tested SELECT * FROM plain WHERE CHAR_LENGTH(CAST(`{name}` AS STRING)) < 0").wait()
                assert same_rows(self.stored_rows(options), before), f"{engine}: an INSERT of no rows left {self.stored_rows(options)}"
            ran.append(engine)
        self._tell(ran, record_property)

    def test_sql_deletes_and_updates_rows(self, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
        """Connectors may refuse a statement with a ``ValidationException``."""
        if not issubclass(self.factory, DynamicTableSinkFactory) or type(self).stored_rows is ConnectorCase.stored_rows:
            return
        options = self.create_table(new_folder(tmp_path, "asked"), [])
        if not isinstance(self.sink(options), (SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate)):
            return
        ran = []
        for engine in self._engines():
            options = self.create_table(new_folder(tmp_path, engine), self.rows)
            left = list(self.rows)
            with self._environment(engine) as environment:
                self._declare(environment, "tested", options)
                for statement, change in self._modifications():
                    try:
                        environment.execute_sql(statement).wait()
                    except ValidationException:
                        continue
                    left = [changed for row in left if (changed := change(row)) is not None]
                    assert same_rows(self.stored_rows(options), left), f"{engine}: {statement} left {self.stored_rows(options)}"
            ran.append(engine)
        self._tell(ran, record_property)

    def _modifications(self) -> list[tuple[str, Callable[[Row], Row | None]]]:
        """Returns statements, each with its effect on a row: the new row, or None if the row is deleted."""
        fields = self.row_type.fields
        first, last = f"`{fields[0].name}`", f"`{fields[-1].name}`"
        one, another, third = (row[0] for row in self.rows[:3])
        text = f"CHAR_LENGTH(CAST({first} AS STRING))"  # which no external system computes
        return [
            (f"DELETE FROM tested WHERE {first} = {_constant(one)} AND {text} < 0", lambda row: row),
            (f"UPDATE tested SET {last} = NULL WHERE {text} < 0", lambda row: row),
            (f"UPDATE tested SET {last} = NULL WHERE {first} = {_constant(one)}", lambda row: (*row[:-1], None) if row[0] == one else row),
            (f"DELETE FROM tested WHERE {first} IN ({_constant(another)}, NULL)", lambda row: None if row[0] == another else row),
            (f"DELETE FROM tested WHERE {first} = {_constant(third)} AND {text} > 0", lambda row: None if row[0] == third else row),
            (f"DELETE FROM tested WHERE {first} IS NULL", lambda row: row),
        ]

    # --- material -----------------------------------------------------------------------------------------------------------------

    def queries(self) -> list[str]:
        """Returns queries over ``{t}``; override it to add those that the connector handles specially."""
        fields = self.row_type.fields
        first, last = f"`{fields[0].name}`", f"`{fields[-1].name}`"
        queries = [
            "SELECT * FROM {t}",
            f"SELECT {last}, {first} FROM {{t}}",
            f"SELECT COUNT(*) FROM (SELECT {first} FROM {{t}} LIMIT 2)",
            f"SELECT {first} FROM {{t}} ORDER BY {first} LIMIT 3",
            f"SELECT COUNT(*), COUNT({last}), MIN({first}), MAX({first}) FROM {{t}}",
            f"SELECT {last}, COUNT(*) FROM {{t}} GROUP BY {last}",
        ]
        for field in fields:
            queries += [f"SELECT * FROM {{t}} WHERE `{field.name}` IS NULL", f"SELECT {first} FROM {{t}} WHERE `{field.name}` IS NOT NULL"]
        for index, field in enumerate(fields):
            values = [row[index] for row in self.rows if row[index] is not None]
            if not values:
                continue
            conditions = _conditions(f"`{field.name}`", field.type, sorted(set(values)))
            if conditions:
                parts = (f"SELECT {number} AS n, {first} FROM {{t}} WHERE {condition}" for number, condition in enumerate(conditions))
                queries.append(" UNION ALL ".join(parts))
            if isinstance(field.type, EXACT_INTEGERS):
                low, high = min(values), max(values)
                queries += [
                    f"SELECT {first} FROM {{t}} WHERE `{field.name}` > {low} AND `{field.name}` <= {high}",
                    f"SELECT {first} FROM {{t}} WHERE `{field.name}` BETWEEN {low} AND {low + 1} OR `{field.name}` IN ({high}, {high + 5})",
                    f"SELECT SUM(`{field.name}`), COUNT(*) FROM {{t}} WHERE NOT (`{field.name}` = {low})",
                ]
            elif isinstance(values[0], str):
                text = values[0].replace("'", "''")
                queries += [
                    f"SELECT {first} FROM {{t}} WHERE `{field.name}` = '{text}'",
                    f"SELECT {first} FROM {{t}} WHERE `{field.name}` <> '{text}'",
                    f"SELECT {first} FROM {{t}} WHERE `{field.name}` LIKE '{text[:1]}%'",
                    f"SELECT {first} FROM {{t}} WHERE `{field.name}` NOT LIKE '%{text[-1:].upper()}'",
                    f"SELECT MIN(`{field.name}`) FROM {{t}} WHERE UPPER(`{field.name}`) <> 'X'",
                ]
        return queries

    def _engines(self) -> list[str]:
        if self.engines is not None:
            return list(self.engines)
        return sorted({entry.name for entry in entry_points(group="table.planners")})

    @contextmanager
    def _environment(self, engine: str) -> Iterator[Any]:
        from table_api import EnvironmentSettings, TableEnvironment  # the other suites need no extra

        settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(engine).build()
        environment = TableEnvironment.create(settings, external=self.external.get(engine))
        try:
            yield environment
        finally:
            environment.close()

    def _declare(self, environment: Any, name: str, options: Mapping[str, str]) -> None:
        texts = [self.schema]
        if self.primary_key:
            texts.append(f"PRIMARY KEY ({', '.join(f'`{column}`' for column in self.primary_key)}) NOT ENFORCED")
        given = {"connector": self.factory().factory_identifier, **options}
        pairs = ", ".join(f"'{_quoted(key)}' = '{_quoted(value)}'" for key, value in given.items())
        environment.execute_sql(f"CREATE TEMPORARY TABLE {name} ({', '.join(texts)}) WITH ({pairs})")

    def _plain(self, environment: Any) -> Any:
        fields = [DataTypes.FIELD(field.name, DataTypes.of(str(field.type))) for field in self.row_type.fields]
        return environment.from_elements([tuple(row) for row in self.rows], DataTypes.ROW(fields))

    def _tell(self, ran: list[str], record_property: Callable[[str, object], None]) -> None:
        """Reports which engines ran: in the report's properties and, with ``pytest -rP``, in the output."""
        record_property("engines", ", ".join(ran))
        print(f"{self.factory().factory_identifier}: SQL ran on {', '.join(ran) or 'no engine, since none is installed'}")  # noqa: T201


def _rows(environment: Any, query: str) -> list[Row]:
    return [tuple(row) for row in environment.execute_sql(query).collect()]


def _conditions(name: str, type_: LogicalType, values: Sequence[Any]) -> list[str]:
    """Returns comparisons of a numeric or text column with its values, and with values close to them."""
    is_number = isinstance(type_, EXACT_INTEGERS)
    if not is_number and not isinstance(values[0], str):
        return []
    low, middle = _constant(values[0]), _constant(values[len(values) // 2])
    near = f"{middle}.4" if is_number else _constant(str(values[len(values) // 2])[:-1])
    return [f"{middle} > {name}", f"{name} IN ({low}, {near})", f"{name} BETWEEN {low} AND {middle}", f"NOT ({name} = {near})"]


def _constant(value: object) -> str:
    return f"'{_quoted(value)}'" if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    return text.replace("'", "''")
