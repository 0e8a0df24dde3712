"""``CompiledPlan`` and ``PlanReference``: insertions as JSON that a later session, on any engine, runs."""

from __future__ import annotations

from pathlib import Path

from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.execution.compiled_plan import plan_of_file, write_plan
from table_api.plan.compiled import PLAN_VERSION, PlanDocument, compile_plan, damaged_plan_reported, read_plan
from table_api.table_result import TableResult
from table_common.frozen_dataclass import dataclass
from table_common.name_text import check_no_nul
from table_common.restrictions import restrictions_in_force

__all__ = ["CompiledPlan", "PlanReference"]


@dataclass(frozen=True, slots=True)
class PlanReference:
    """Where a compiled plan is: ``PlanReference.from_file(path)`` or ``PlanReference.from_json_string(text)``."""

    file: str | None = None
    json_string: str | None = None

    @classmethod
    def from_file(cls, path: str | Path) -> PlanReference:
        """Returns the plan of a file."""
        return cls(file=str(path))

    @classmethod
    def from_json_string(cls, json_string: str) -> PlanReference:
        """Returns the plan that a text holds."""
        return cls(json_string=json_string)


class CompiledPlan:
    """A plan that can be kept, read and run: as often as wanted, in other sessions too, on each engine."""

    def __init__(self, session: TableSession, document: PlanDocument) -> None:
        """Use ``TableEnvironment.compile_plan_sql`` and ``load_plan``."""
        self._session = session
        self._document = document

    @classmethod
    def load(cls, session: TableSession, reference: PlanReference) -> CompiledPlan:
        """Returns the plan of a reference.

        Raises:
            ValidationException: there is none, it is of another version or mode, or what it uses is not there any more.
        """
        with restrictions_in_force(session.configuration):
            if reference.file is not None:
                return cls(session, compile_plan(plan_of_file(reference.file, session), session))
            return cls(session, read_plan(reference.json_string or "", session))

    def execute(self) -> TableResult:
        """Starts the job; ``wait()`` of the result waits for its end."""
        with damaged_plan_reported("The compiled plan"):
            return self._session.run_inserts(self._document.operations)

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan as text, as EXPLAIN does."""
        with damaged_plan_reported("The compiled plan"):
            return self._session.explain(self._document.operations, extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan."""
        print(self.explain(*extra_details))  # noqa: T201  # that is what it is for

    def as_json_string(self) -> str:
        """Returns the text that COMPILE PLAN writes."""
        return self._document.text

    def print_json_string(self) -> None:
        """Prints the text that COMPILE PLAN writes."""
        print(self._document.text)  # noqa: T201  # that is what it is for

    def write_to_file(self, file: str | Path, ignore_if_exists: bool = False) -> None:
        """Writes the plan into a file.

        Raises:
            TableException: it is there already and not ignored, or cannot be written.
        """
        check_no_nul(str(file), "a path")
        if not (ignore_if_exists and Path(file).exists()):
            write_plan(Path(file), self._document.text)

    def get_plan_version(self) -> int:
        """Returns the version of the text's form, which a release reads or refuses."""
        return PLAN_VERSION
