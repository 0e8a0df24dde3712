"""``CompiledPlan`` and ``PlanReference``: the plan of insertions as JSON, which a later session can run on any engine."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.execution.compiled_plan import plan_of_file, write_plan
from table_api.plan.compiled import PLAN_VERSION, PlanDocument, compile_plan, damaged_plan_reported, read_plan
from table_api.table_result import TableResult
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.gate import Gate, restrictions_in_force
from table_common.object_names import check_no_nul


@dataclass(frozen=True, slots=True)
class PlanReference:
    """Where a compiled plan is stored: in a file or in a JSON text.

    Example:
        >>> PlanReference.from_file("/plans/daily.json").file
        '/plans/daily.json'

    Source: Flink's ``org.apache.flink.table.api.PlanReference``.
    """

    file: str | None = None
    json_string: str | None = None

    @classmethod
    def from_file(cls, path: str | Path) -> PlanReference:
        """Returns the reference to a file; it is read by ``load_plan``."""
        return cls(file=str(path))

    @classmethod
    def from_json_string(cls, json_string: str) -> PlanReference:
        """Returns the reference to a JSON text."""
        return cls(json_string=json_string)

    @classmethod
    def from_smile_bytes(cls, smile_bytes: bytes) -> NoReturn:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _smile_refused("from_json_string")


class CompiledPlan:
    """The plan of insertions: it can be stored as JSON and run any number of times, in other sessions and on each engine.

    Example:
        >>> _ = env.execute_sql("CREATE TEMPORARY TABLE sink (a INT) WITH ('connector' = 'blackhole')")
        >>> plan = env.compile_plan_sql("INSERT INTO sink VALUES (1), (2)")
        >>> again = env.load_plan(PlanReference.from_json_string(plan.as_json_string()))
        >>> again.execute().wait()

    Source: Flink's ``org.apache.flink.table.api.CompiledPlan``.
    """

    def __init__(self, session: TableSession, document: PlanDocument) -> None:
        """Internal; use ``TableEnvironment.compile_plan_sql`` or ``load_plan``."""
        self._session = session
        self._document = document

    @classmethod
    def load(cls, session: TableSession, reference: PlanReference) -> CompiledPlan:
        """Reads the plan of a reference.

        Raises:
            ValidationException: the plan is missing or damaged, has another version or mode, or uses a table or function that does not exist.
        """
        with restrictions_in_force(session.configuration):
            if reference.file is not None:
                return cls(session, compile_plan(plan_of_file(reference.file, session), session))
            return cls(session, read_plan(reference.json_string or "", session))

    def as_smile_bytes(self) -> NoReturn:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _smile_refused("as_json_string")

    def get_flink_version(self) -> str:
        """Returns the version of Flink whose SQL these packages follow. A plan cannot be exchanged with Flink."""
        return "2.3"

    def execute(self) -> TableResult:
        """Starts a job; ``result.wait()`` waits for its end.

        Raises:
            TableException: the engine cannot run the plan.
        """
        with damaged_plan_reported("The compiled plan"):
            return self._session.run_inserts(self._document.operations)

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan as text, as EXPLAIN prints it."""
        with damaged_plan_reported("The compiled plan"):
            return self._session.explain(self._document.operations, extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan."""
        print(self.explain(*extra_details))  # noqa: T201  # the purpose of the method

    def as_json_string(self) -> str:
        """Returns the JSON text that COMPILE PLAN writes."""
        return self._document.text

    def print_json_string(self) -> None:
        """Prints the JSON text that COMPILE PLAN writes."""
        print(self._document.text)  # noqa: T201  # the purpose of the method

    def write_to_file(self, file: str | Path, ignore_if_exists: bool = False) -> None:
        """Writes the plan to a file; ``ignore_if_exists`` leaves an existing file as it is.

        Raises:
            TableException: the file exists and ``ignore_if_exists`` is false, or it cannot be written.
        """
        check_no_nul(str(file), "a path")
        path = Gate.of_program(Path(file))
        if not (ignore_if_exists and path.exists()):
            write_plan(path, self._document.text)

    def get_plan_version(self) -> int:
        """Returns the version of the JSON format; a release refuses plans of versions that it cannot read."""
        return PLAN_VERSION


def _smile_refused(replacement: str) -> ValidationException:
    return ValidationException(
        "A compiled plan is JSON: there is no form in Smile, a binary format of Java programs.", hint=f"Use {replacement}."
    )
