"""Selection of the planner of a session among those installed."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.delegation.planner import Planner, PlannerContext, PlannerFactory
from table_api.environment_settings import EnvironmentSettings
from table_common.configuration import Configuration
from table_common.exceptions import ValidationException
from table_common.factories import install_hint

PREFERRED = "spark"
"""The planner that is selected if several match and the settings name none: installing it means choosing it."""
# Differs from Flink: if several planners are installed, one of them is the default. In FLIP-32 this is an error.

_INSTALL = "pip install table-runtime[planner] (in-process, on Arrow) or pip install table-planner-spark (on Spark)"


def check_planner(settings: EnvironmentSettings) -> None:
    """Checks that the planner named by the settings is installed; does not load it.

    Raises:
        ValidationException: it is not installed; the message lists the installed planners.
    """
    if settings.planner is not None and settings.planner not in PlannerFactory.identifiers():
        select_planner(settings)


def select_planner(settings: EnvironmentSettings) -> PlannerFactory:
    """Returns the factory of the planner that the settings name or, if they name none, of the one that matches.

    Raises:
        ValidationException: no planner is installed, the named planner is not, or none matches; the message gives the reason of each.
    """
    installed = PlannerFactory.identifiers()
    if not installed:
        raise ValidationException("No planner is installed, so no query can run.", hint=_INSTALL)
    if settings.planner is not None:
        factory = PlannerFactory.discover(settings.planner)
        refusal = factory.matches(settings)
        if refusal is not None:
            raise ValidationException(f"The planner '{settings.planner}' refuses these settings: {refusal}")
        return factory
    factories = {identifier: PlannerFactory.discover(identifier) for identifier in installed}
    refusals = {identifier: factory.matches(settings) for identifier, factory in factories.items()}
    matching = [identifier for identifier, refusal in refusals.items() if refusal is None]
    if not matching:
        reasons = "; ".join(f"'{identifier}': {refusal}" for identifier, refusal in sorted(refusals.items()))
        raise ValidationException(f"No installed planner supports these settings. {reasons}", hint=_INSTALL)
    if len(matching) > 1 and PREFERRED not in matching:
        raise ValidationException(
            f"More than one planner supports these settings: {', '.join(sorted(matching))}.",
            hint="name one with with_planner(…) or the option 'table.planner'",
        )
    return factories[PREFERRED if PREFERRED in matching else matching[0]]


def with_external_options(settings: EnvironmentSettings, external: Mapping[str, object]) -> EnvironmentSettings:
    """Returns the settings with the options that the program's own objects determine for the planner, such as the time zone of its session.

    Raises:
        ValidationException: no planner can be selected, or an object has a value that is not supported.
    """
    configuration = settings.get_configuration()
    given = {key: value for key, value in select_planner(settings).session_options(external).items() if key not in configuration}
    return EnvironmentSettings(configuration.add_all(Configuration(given))) if given else settings


def create_planner(factory: PlannerFactory, context: PlannerContext) -> Planner:
    """Returns the factory's planner.

    Raises:
        ValidationException: a package that the engine needs is not installed.
    """
    try:
        return factory.create(context)
    except ImportError as error:
        name = factory.factory_identifier
        package = install_hint("table.planners", name)
        raise ValidationException(
            f"The planner '{name}' cannot start: {error}.",
            hint=f"pip install {package} with all that it depends on" if package else "Install all that the planner depends on.",
        ) from error


def warn_of_final_rows(settings: EnvironmentSettings, selected: str, planner: Planner) -> None:
    """Logs a warning if streaming mode is wanted and the planner, which nobody named, returns final rows where another one might return changes."""
    others = [name for name in PlannerFactory.identifiers() if name != selected]
    if settings.planner is None and settings.is_streaming_mode() and not planner.capabilities.changelog_operations and others:
        import logging  # loading it costs more than most programs want to hear

        logging.getLogger("table.session").warning(
            "The program names no planner, so '%s' runs it: in streaming mode it reads inputs to their end and returns the final rows, not each change. "
            "Name one with with_planner(…) or the option 'table.planner': also installed: %s.",
            selected,
            ", ".join(f"'{other}'" for other in others),
        )
