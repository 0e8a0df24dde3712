"""SET, RESET, USE, LOAD and UNLOAD, ADD and REMOVE JAR, STOP JOB, SHOW, DESCRIBE."""

from __future__ import annotations

from table_api.operations import Operation
from table_api.operations.command import (
    DescribeOperation,
    LoadModuleOperation,
    ResetOperation,
    SetOptionOperation,
    ShowLike,
    ShowOperation,
    StopJobOperation,
    UnloadModuleOperation,
    UseCatalogOperation,
    UseModulesOperation,
)
from table_api.sql.ast import AddJar, RemoveJar, ShowPartitions, Statement, UseDatabase
from table_api.sql.grammar.alter_statements import AlterRules
from table_api.sql.grammar.keywords import CALLABLE
from table_api.sql.grammar.lexer import END, STRING
from table_api.sql.grammar.token_stream import NAMES

# What SHOW takes: (FROM or IN allowed, LIKE allowed, ILIKE allowed).
_SHOW_LISTS = {
    "CATALOGS": (False, True, True),
    "CONNECTIONS": (True, True, False),
    "DATABASES": (True, True, True),
    "FUNCTIONS": (True, True, True),
    "JARS": (False, False, False),
    "JOBS": (False, False, False),
    "MODELS": (True, True, False),
    "MODULES": (False, False, False),
    "PROCEDURES": (True, True, True),
    "TABLES": (True, True, False),
    "VIEWS": (True, True, False),
}
_SHOW_CREATE = ("TABLE", "VIEW", "CATALOG", "MODEL", "CONNECTION", "MATERIALIZED")
_DESCRIBABLE = ("CATALOG", "DATABASE", "FUNCTION", "MODEL", "CONNECTION")


class SessionRules(AlterRules):
    """The rules for statements about the session."""

    __slots__ = ()

    def set_statement(self) -> Operation:
        """Consumes ``SET ['key' = 'value']``."""
        start = self.index
        self.advance()
        if self.kind in (END, ";"):
            self.note(STRING)
            return SetOptionOperation()
        if not self.at(STRING) and self.index != self.watch and "=" in self.kinds[self.index :]:
            raise self._unquoted_option(start)
        key = self.string()
        self.expect("=")
        return SetOptionOperation(key, self.string())

    def _unquoted_option(self, start: int) -> Exception:
        while self.kind not in (END, ";"):
            self.advance()
        hint = "SET 'table.local-time-zone' = 'UTC'"
        return self.invalid("The key and the value of SET are written in single quotes.", start, hint=hint)

    def reset_statement(self) -> Operation:
        """Consumes ``RESET ['key']``."""
        self.advance()
        key = self.string() if self.at(STRING) else None
        return ResetOperation(key)

    def use_statement(self) -> Operation | Statement:
        """Consumes ``USE CATALOG c``, ``USE MODULES a, b`` or ``USE d``."""
        start = self.index
        self.advance()
        if self.accept("MODULES"):
            return UseModulesOperation(self.comma_list(lambda: self.name("module name")))
        if self.kind == "CATALOG" and (self.peek() in NAMES or self.index + 1 == self.watch):
            self.advance()
            return UseCatalogOperation(self.name("catalog name"))
        self.note("CATALOG")
        path, path_span = self.path_with_span("database name")
        return UseDatabase(path, span=self.span(start), path_span=path_span)

    def module_statement(self) -> Operation:
        """Consumes ``LOAD MODULE m [WITH (…)]`` or ``UNLOAD MODULE m``; the name may also be a string, as FLIP-68 writes it."""
        load = self.expect_one("LOAD", "UNLOAD") == "LOAD"
        self.expect("MODULE")
        name = self.string() if self.at(STRING) else self.name("module name")
        if load:
            return LoadModuleOperation(name, dict(self.with_options()))
        return UnloadModuleOperation(name)

    def jar_statement(self) -> Statement:
        """Consumes ``ADD JAR '…'`` or ``REMOVE JAR '…'``."""
        start = self.index
        add = self.expect_one("ADD", "REMOVE") == "ADD"
        self.expect("JAR")
        path = self.string()
        return AddJar(path, span=self.span(start)) if add else RemoveJar(path, span=self.span(start))

    def stop_statement(self) -> Operation:
        """Consumes ``STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]``."""
        self.expect("STOP", "JOB")
        job_id = self.string()
        savepoint = self.accept_words("WITH", "SAVEPOINT")
        drain = self.accept_words("WITH", "DRAIN")
        if drain and not savepoint:
            raise self.error("WITH DRAIN needs WITH SAVEPOINT before it.", at=self.index - 1)
        return StopJobOperation(job_id, savepoint, drain)

    # --- SHOW ---------------------------------------------------------------------------------------------------------------------

    def show_statement(self) -> Operation | Statement:
        """Consumes ``SHOW …``."""
        start = self.index
        self.advance()
        if self.accept("CREATE"):
            return self._show_create()
        if self.accept("CURRENT"):
            return ShowOperation(f"CURRENT {self.expect_one('CATALOG', 'DATABASE')}")
        if self.accept("COLUMNS"):
            preposition = self.expect_one("FROM", "IN")
            path = self.path("table name")
            return ShowOperation("COLUMNS", path, preposition, self._like_filter(ilike=False))
        if self.accept("PARTITIONS"):
            path = self.path("table name")
            return ShowPartitions(path, self.partition_spec() if self.accept("PARTITION") else None, span=self.span(start))
        prefix = self.accept_one("USER", "FULL", "MATERIALIZED")
        allowed = {"USER": ("FUNCTIONS",), "FULL": ("MODULES",), "MATERIALIZED": ("TABLES",)}
        kind = self.expect_one(*(allowed[prefix] if prefix is not None else _SHOW_LISTS))
        return self._show_list(kind, f"{prefix} {kind}" if prefix is not None else kind)

    def _show_list(self, kind: str, full_kind: str) -> Operation:
        takes_path, takes_like, takes_ilike = _SHOW_LISTS[kind]
        preposition = self.accept_one("FROM", "IN") if takes_path else None
        path: tuple[str, ...] = ()
        if preposition is not None:
            path = self.path("catalog name" if kind == "DATABASES" else "database name")
        like = self._like_filter(ilike=takes_ilike) if takes_like else None
        return ShowOperation(full_kind, path, preposition, like)

    def _like_filter(self, *, ilike: bool) -> ShowLike | None:
        negated = self.accept("NOT")
        kind = self.accept_one(*(("LIKE", "ILIKE") if ilike else ("LIKE",)))
        if kind is None:
            if negated:
                raise self.unexpected()
            return None
        return ShowLike(self.string(), negated, kind == "ILIKE")

    def _show_create(self) -> Operation:
        kind = self.expect_one(*_SHOW_CREATE)
        if kind == "MATERIALIZED":
            self.expect("TABLE")
            kind = "MATERIALIZED TABLE"
        return ShowOperation(f"CREATE {kind}", self.path("table name" if kind == "MATERIALIZED TABLE" else f"{kind.lower()} name"))

    # --- DESCRIBE -----------------------------------------------------------------------------------------------------------------

    def is_function_ahead(self) -> bool:
        """Returns whether FUNCTION and a reserved word that is a function come next."""
        return self.kind == "FUNCTION" and self.peek() in CALLABLE

    def describe_statement(self) -> Operation:
        """Consumes ``DESCRIBE …`` or ``DESC …``."""
        self.advance()
        if self.kind == "JOB" and self.peek() == STRING:
            self.advance()
            return DescribeOperation("JOB", (self.string(),))
        # Most of these are not reserved: DESCRIBE catalog describes a table of that name.
        kind = "TABLE"
        if self.kind in _DESCRIBABLE and (self.peek() in NAMES or self.peek() == "EXTENDED" or self.is_function_ahead()):
            kind = self.kind
            self.advance()
        self.note(*_DESCRIBABLE, "JOB")
        extended = self.accept("EXTENDED")
        if kind == "TABLE" and self.at(STRING):  # extension: DESCRIBE 'data.csv'
            return DescribeOperation("FILE", (self.string(),), extended)
        if kind == "FUNCTION" and self.kind in CALLABLE:  # extension: UPPER and others need no back-ticks
            place = self.index
            self.advance()
            return DescribeOperation(kind, (self.values[place],), extended)
        return DescribeOperation(kind, self.path(f"{kind.lower()} name"), extended)
