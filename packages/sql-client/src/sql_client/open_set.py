"""An open statement set: ``BEGIN STATEMENT SET; INSERT …; INSERT …; END;``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sql_client.script import Statement
from table_api import TableEnvironment
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api import StatementSet  # few scripts have a set, and it imports the Table API


class OpenSet:
    """Collects insertions up to END; each is checked when it is added."""

    def __init__(self, begin: Statement, env: TableEnvironment) -> None:
        self.begin = begin
        self.statements: StatementSet = env.create_statement_set()
        self.count = 0

    def add(self, statement: Statement) -> None:
        """Adds a statement.

        Raises:
            ValidationException: it is not a valid INSERT.
        """
        if statement.first_word not in ("INSERT", "UPSERT"):
            raise ValidationException(
                f"A statement set accepts INSERT statements only, not {statement.first_word}.", hint="END; runs the collected statements"
            )
        self.statements.add_insert_sql(statement.text)
        self.count += 1

    def not_ended(self) -> ValidationException:
        """Returns the error of a set whose END is missing."""
        return ValidationException(f"END is missing, so none of the {self.count} INSERT statements of this set ran.", hint="END;")
