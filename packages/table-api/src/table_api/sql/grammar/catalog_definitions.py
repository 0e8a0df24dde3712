"""CREATE and DROP: dispatch by the kind of object, and the rules for objects other than tables."""

from __future__ import annotations

from table_api.operations import Operation
from table_api.sql.ast import (
    ColumnDef,
    CreateCatalog,
    CreateConnection,
    CreateDatabase,
    CreateFunction,
    CreateModel,
    DropStatement,
    QueryNode,
    Resource,
    Statement,
)
from table_api.sql.grammar.table_definitions import SchemaParts, TableDefinitionRules

QUERY_FIRST = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "("})
"""The first words of a query."""
_LANGUAGES = ("JAVA", "SCALA", "SQL", "PYTHON")


class CatalogDefinitionRules(TableDefinitionRules):
    """The rules for CREATE and DROP."""

    __slots__ = ()

    def statement(self) -> QueryNode | Statement | Operation:
        """Consumes a statement without the semicolon after it: here a query or CREATE."""
        return self.query() if self.kind in QUERY_FIRST else self.create_statement()

    def create_statement(self) -> Statement:
        """Consumes ``CREATE …``."""
        start = self.index
        self.advance()
        replace = or_alter = False
        if self.accept("OR"):
            or_alter = self.expect_one("REPLACE", "ALTER") == "ALTER"
            replace = not or_alter
        if or_alter:
            self.expect("MATERIALIZED", "TABLE")
            return self.create_materialized_table(start, or_alter=True)
        temporary = self.accept("TEMPORARY")
        system = temporary and self.accept("SYSTEM")
        if not system:
            if self.accept("TABLE"):
                return self.create_table(start, temporary=temporary, replace=replace)
            if self.accept("VIEW"):
                return self.create_view(start, temporary=temporary, replace=replace)
            if self.accept("MODEL"):
                return self._create_model(start, temporary)
            if not temporary and not replace:
                if self.accept("CATALOG"):
                    return self._create_catalog(start)
                if self.accept("DATABASE"):
                    return self._create_database(start)
                if self.accept_phrase("MATERIALIZED", "TABLE"):
                    return self.create_materialized_table(start, or_alter=False)
        if self.accept("FUNCTION"):
            return self._create_function(start, temporary, system)
        if self.accept("CONNECTION"):
            return self._create_connection(start, temporary, system)
        if self.kind == "SYSTEM":
            raise self.error("A system function or connection is always temporary.", hint="write CREATE TEMPORARY SYSTEM …")
        raise self.unexpected()

    def _create_catalog(self, start: int) -> Statement:
        if_not_exists = self.if_not_exists()
        name = self.name("catalog name")
        comment = self.comment()
        return CreateCatalog(name, self.with_options(), comment, if_not_exists, span=self.span(start))

    def _create_database(self, start: int) -> Statement:
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("database name")
        comment = self.comment()
        return CreateDatabase(path, self.with_options(), comment, if_not_exists, span=self.span(start), path_span=path_span)

    def _create_function(self, start: int, temporary: bool, system: bool) -> Statement:
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("function name")
        if system and len(path) > 1:
            raise self.error("A system function has a name of one part.", at=self.index - 1)
        self.expect("AS")
        class_name = self.string()
        language_place = self.index + 1
        language = self.language()
        resources: tuple[Resource, ...] = ()
        if self.accept("USING"):
            # Differs from Flink: a function in Python may name its wheel or zip. Flink refuses USING for Python.
            if language == "SQL" or (language == "PYTHON" and self.kind != "ARTIFACT"):
                raise self.error(f"CREATE FUNCTION … USING does not accept the language {language}.", at=language_place)
            resources = self.comma_list(self._resource)
        options = self.with_options()
        return CreateFunction(
            path, class_name, language, resources, options, temporary, system, if_not_exists, span=self.span(start), path_span=path_span
        )

    def language(self) -> str | None:
        """Consumes ``LANGUAGE name``."""
        return self.expect_one(*_LANGUAGES) if self.accept("LANGUAGE") else None

    def _resource(self) -> Resource:
        return Resource(self.expect_one("JAR", "ARTIFACT"), self.string())

    def _create_model(self, start: int, temporary: bool) -> Statement:
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("model name")
        inputs = self._model_columns() if self.accept("INPUT") else ()
        outputs = self._model_columns() if self.accept("OUTPUT") else ()
        comment = self.comment()
        options = self.with_options()
        query = self.query() if self.accept("AS") else None
        return CreateModel(
            path, inputs, outputs, comment, options, query, temporary, if_not_exists, span=self.span(start), path_span=path_span
        )

    def _model_columns(self) -> tuple[ColumnDef, ...]:
        parts = SchemaParts()
        self.expect("(")
        self.comma_list(lambda: self.schema_part(parts))
        self.expect(")")
        return tuple(parts.columns)

    def _create_connection(self, start: int, temporary: bool, system: bool) -> Statement:
        if_not_exists = self.if_not_exists()
        path, path_span = self.path_with_span("connection name")
        comment = self.comment()
        self.expect("WITH")
        options = self.options()
        return CreateConnection(path, options, comment, temporary, system, if_not_exists, span=self.span(start), path_span=path_span)

    # --- DROP ---------------------------------------------------------------------------------------------------------------------

    def drop_statement(self) -> Statement:
        """Consumes ``DROP …``."""
        start = self.index
        self.advance()
        temporary = self.accept("TEMPORARY")
        system = temporary and self.accept("SYSTEM")
        kinds: tuple[str, ...] = ("FUNCTION", "CONNECTION") if system else ("TABLE", "VIEW", "MODEL", "FUNCTION", "CONNECTION")
        if not temporary:
            kinds += ("CATALOG", "DATABASE", "MATERIALIZED")
        kind = self.expect_one(*kinds)
        if kind == "MATERIALIZED":
            self.expect("TABLE")
            kind = "MATERIALIZED TABLE"
        if_exists = self.if_exists()
        path, path_span = self.path_with_span(f"{kind.lower()} name" if kind != "MATERIALIZED TABLE" else "table name")
        cascade = kind == "DATABASE" and self.accept_one("RESTRICT", "CASCADE") == "CASCADE"
        return DropStatement(kind, path, temporary, system, if_exists, cascade, span=self.span(start), path_span=path_span)
