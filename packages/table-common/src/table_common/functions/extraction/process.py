"""The signature of a process table function: context, state entries, arguments and rows, from annotations and hints of ``eval`` and ``on_timer``."""

from __future__ import annotations

import types
from datetime import timedelta
from typing import Annotated, Any, get_args, get_origin

from table_common.data import Row
from table_common.exceptions import ValidationException, WrongKindException
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.extraction.methods import NOTHING, Method, MethodParameter, read_method
from table_common.functions.extraction.results import table_output
from table_common.functions.extraction.signature import NO_DEFAULT
from table_common.functions.hinting import FunctionHint, hints_of
from table_common.functions.process_batches import ProcessBatchContext
from table_common.functions.process_table import ArgumentHint, ArgumentTrait, ProcessContext, ProcessTableFunction, StateHint
from table_common.functions.user_defined import implements
from table_common.functions.views import DataView
from table_common.types.extraction import DataTypeHint, ExtractedType, ExtractionOptions, extract_type, type_text
from table_common.types.logical import ArrayType, MapType, RowType, StructuredType

RESERVED = ("on_time", "uid")
"""The names of the arguments that every call may have."""

_CONTEXT_NAMES = ("context", "ctx")


@dataclass(frozen=True, slots=True)
class StateEntry:
    """A state entry: its name in ``eval``, its type, and how long it is kept (None: as the session says).

    Example:
        >>> StateEntry("seen", ExtractedType(None)).ttl is None
        True
    """

    name: str
    extracted: ExtractedType
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True)
class ProcessArgument:
    """An argument: a scalar, or a table. The rows of a table whose ``extracted.type`` is None are ``Row`` or batches with the columns of what is given.

    Example:
        >>> ProcessArgument("r", frozenset({ArgumentTrait.ROW_SEMANTIC_TABLE}), ExtractedType(None)).is_table
        True
    """

    name: str
    traits: frozenset[ArgumentTrait]
    extracted: ExtractedType
    default: Any = NO_DEFAULT
    is_optional_table: bool = False

    @property
    def is_table(self) -> bool:
        """Whether it takes a table."""
        return not self.traits.isdisjoint((ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.SET_SEMANTIC_TABLE))

    @property
    def is_set(self) -> bool:
        """Whether it takes a table whose rows are processed by partition."""
        return ArgumentTrait.SET_SEMANTIC_TABLE in self.traits

    @property
    def is_optional(self) -> bool:
        """Whether it may be left out."""
        return self.is_optional_table or self.default is not NO_DEFAULT


@dataclass(frozen=True, slots=True)
class ProcessSignature:
    """How ``eval`` and ``on_timer`` are called. ``timer_states`` are the state entries of ``on_timer``, by position; None: there is no ``on_timer``.

    Example:
        >>> ProcessSignature(False, (), (), ExtractedType(None), None, False).has_timers
        False
    """

    takes_context: bool
    states: tuple[StateEntry, ...]
    arguments: tuple[ProcessArgument, ...]
    output: ExtractedType
    timer_states: tuple[int, ...] | None
    timer_takes_context: bool
    is_vectorized: bool = False
    """Whether ``eval_batch`` and ``on_timer_batch`` are called, with many rows of different keys."""

    @property
    def has_timers(self) -> bool:
        """Whether there is ``on_timer``."""
        return self.timer_states is not None

    @property
    def tables(self) -> tuple[ProcessArgument, ...]:
        """The arguments that are tables."""
        return tuple(argument for argument in self.arguments if argument.is_table)


def extract_process_signature(function: ProcessTableFunction[Any], hint: FunctionHint | None, owner: str) -> ProcessSignature:
    """Returns the signature of a process table function.

    Raises:
        ValidationException: a parameter has no type or a wrong one, traits contradict each other, or ``on_timer`` takes something else than state.
    """
    is_vectorized = implements(function, "eval_batch")
    if not is_vectorized and not implements(function, "eval"):
        raise WrongKindException(f"{owner} does not define eval.", hint="def eval(self, …)")
    if is_vectorized:
        _check_vectorized(function, owner)
    name = "eval_batch" if is_vectorized else "eval"
    method = read_method(function.eval_batch if is_vectorized else function.eval, name, owner, 0)
    if method.var_args is not None:
        raise ValidationException(
            f"{owner}.{name} takes *{method.var_args.name}, but each argument of a process table function has a name."
        )
    parameters = list(method.parameters)
    takes_context = bool(parameters) and _is_context(parameters[0])
    states: list[StateEntry] = []
    arguments: list[ProcessArgument] = []
    for parameter in parameters[takes_context:]:
        state = _metadata(parameter.annotation, StateHint)
        if state is not None:
            if arguments:
                raise ValidationException(
                    f"The state '{parameter.name}' of {owner}.eval comes after the argument '{arguments[-1].name}'.",
                    hint="eval(self, context, state…, argument…)",
                )
            states.append(_state(parameter, state, owner))
        else:
            arguments.append(_argument(parameter, owner))
    returned = method.result
    if returned in (Any, object) or (get_origin(returned) is not None and get_args(returned)[:1] in ((Any,), (object,), (Row,))):
        method = replace(method, result=NOTHING)  # which says that it yields, not what
    hint = hint or next(iter(hints_of(method.function) or hints_of(type(function))), None)
    output = table_output(function, method, hint.output if hint is not None else None, owner, ExtractionOptions())
    _check_together(arguments, states, owner)
    if is_vectorized:
        _check_batches(arguments, states, owner)
    timer = _timer(function, states, owner, "on_timer_batch" if is_vectorized else "on_timer")
    return ProcessSignature(takes_context, tuple(states), tuple(arguments), output, *timer, is_vectorized)


def _check_vectorized(function: ProcessTableFunction[Any], owner: str) -> None:
    for other, instead in (("eval", "eval_batch"), ("on_timer", "on_timer_batch")):
        if implements(function, other):
            raise ValidationException(
                f"{owner} defines eval_batch and {other}: a function is called with many rows at once, or row by row.",
                hint=f"leave {other} out; {instead} is called in its place",
            )
    if type(function).get_changelog_mode is not ProcessTableFunction.get_changelog_mode:
        raise ValidationException(
            f"{owner} defines eval_batch and get_changelog_mode, but a function that is called with many rows at once only inserts rows.",
            hint="define eval(self, …), which is called row by row",
        )


def _check_batches(arguments: list[ProcessArgument], states: list[StateEntry], owner: str) -> None:
    tables = [argument for argument in arguments if argument.is_table]
    if len(tables) != 1 or ArgumentTrait.SUPPORT_UPDATES in tables[0].traits:
        what = f"{len(tables)} tables" if len(tables) != 1 else f"SUPPORT_UPDATES for '{tables[0].name}'"
        raise ValidationException(
            f"{owner}.eval_batch has {what}, but it is called with the rows of one table of insertions.",
            hint="define eval(self, …), which is called row by row",
        )
    for entry in states:
        class_ = entry.extracted.conversion
        if isinstance(class_, type) and issubclass(class_, DataView):
            raise ValidationException(
                f"The state '{entry.name}' of {owner}.eval_batch is a {class_.__name__}, but its states are arrays, one for each field of a class.",
                hint="use a dataclass with atomic fields, or define eval(self, …)",
            )


def _is_context(parameter: MethodParameter) -> bool:
    annotation = parameter.annotation
    if isinstance(annotation, type) and issubclass(annotation, ProcessContext | ProcessBatchContext):
        return True
    return annotation in (NOTHING, Any, object) and parameter.name in _CONTEXT_NAMES


def _metadata(annotation: Any, class_: type[Any]) -> Any:
    if get_origin(annotation) is Annotated:
        return next((item for item in get_args(annotation)[1:] if isinstance(item, class_)), None)
    return None


def _without_metadata(annotation: Any) -> Any:
    """Returns an annotation without our hints; ``DataTypeHint`` stays."""
    if get_origin(annotation) is not Annotated:
        return annotation
    inner, *metadata = get_args(annotation)
    kept = [item for item in metadata if isinstance(item, DataTypeHint)]
    return Annotated[(inner, *kept)] if kept else inner


def _state(parameter: MethodParameter, hint: StateHint, owner: str) -> StateEntry:
    where = f"the state '{parameter.name}' of {owner}.eval"
    if parameter.default is not NO_DEFAULT:
        raise ValidationException(
            f"The {where[4:]} has a default, but state is made by its class.", hint="give the fields of the class defaults"
        )
    given = None if hint.type is None else DataTypeHint(hint.type)
    annotation = _without_metadata(parameter.annotation)
    if annotation is Row and given is None:
        raise ValidationException(f"The fields of {where} are not known.", hint="Annotated[Row, StateHint(type='ROW<n BIGINT>')]")
    extracted = extract_type(annotation, where, ExtractionOptions(), given)
    if not isinstance(extracted.type, (RowType, StructuredType)):
        extra = "a ListView or MapView" if isinstance(extracted.type, (ArrayType, MapType)) else "a dataclass with fields"
        raise ValidationException(
            f"The type of {where} is {extracted.type}, whose values cannot change in place.",
            hint=f"Use {extra}: the function changes the object, and the next call for the key gets it again.",
        )
    return StateEntry(parameter.name, extracted, hint.ttl)


def _argument(parameter: MethodParameter, owner: str) -> ProcessArgument:
    name = parameter.name
    where = f"parameter '{name}' of {owner}.eval"
    if name in RESERVED:
        raise ValidationException(f"The {where} has the name of an argument that every call has.", hint="rename it")
    hint = _metadata(parameter.annotation, ArgumentHint) or ArgumentHint()
    traits = hint.traits
    annotation = _without_metadata(parameter.annotation)
    class_ = get_origin(annotation) or annotation
    if isinstance(class_, type) and issubclass(class_, DataView):
        raise ValidationException(
            f"The {where} is a {class_.__name__}, which only state is.", hint=f"{name}: Annotated[{type_text(annotation)}, StateHint()]"
        )
    tables = traits & {ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.SET_SEMANTIC_TABLE}
    if len(tables) + (ArgumentTrait.SCALAR in traits) > 1:
        raise ValidationException(
            f"The {where} is more than one of scalar, table of rows and table of sets.", hint="give one of the three traits"
        )
    others = traits - tables - {ArgumentTrait.SCALAR}
    if others and not tables:
        raise ValidationException(
            f"The {where} has {_names(others)}, which only tables have.", hint="ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, …)"
        )
    if ArgumentTrait.ROW_SEMANTIC_TABLE in traits and (wrong := traits & {ArgumentTrait.OPTIONAL_PARTITION_BY}):
        raise ValidationException(
            f"The {where} has row semantics, so it cannot have {_names(wrong)}.", hint="ArgumentTrait.SET_SEMANTIC_TABLE has partitions"
        )
    needed = traits & {ArgumentTrait.REQUIRE_UPDATE_BEFORE, ArgumentTrait.REQUIRE_FULL_DELETE}
    if needed and ArgumentTrait.SUPPORT_UPDATES not in traits:
        raise ValidationException(f"The {where} has {_names(needed)} without SUPPORT_UPDATES.", hint="add ArgumentTrait.SUPPORT_UPDATES")
    if ArgumentTrait.PASS_COLUMNS_THROUGH in traits and ArgumentTrait.SUPPORT_UPDATES in traits:
        raise ValidationException(
            f"The {where} has PASS_COLUMNS_THROUGH and SUPPORT_UPDATES: the columns of a row that changed would not be those of the result.",
            hint="yield the columns that are needed",
        )
    if tables:
        if parameter.default is not NO_DEFAULT and parameter.default is not None:
            raise ValidationException(f"The {where} is a table, so its default can only be None.")
        is_optional = hint.is_optional or parameter.default is None
        extracted = _row_type(annotation, where)
        return ProcessArgument(name, traits, extracted, NO_DEFAULT, is_optional)
    given = None if hint.type is None else DataTypeHint(hint.type)
    if annotation is NOTHING and given is None:
        raise ValidationException(
            f"The {where} has no type.",
            hint=f"Annotate it ({name}: int), or as a table: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)].",
        )
    if annotation is Row and given is None:
        raise ValidationException(
            f"The {where} is a Row, but it does not say whether it is a table.",
            hint=f"{name}: Annotated[Row, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)]",
        )
    extracted = extract_type(object if annotation is NOTHING else annotation, where, ExtractionOptions(), given)
    return ProcessArgument(name, frozenset({ArgumentTrait.SCALAR}), extracted, parameter.default)


def _row_type(annotation: Any, where: str) -> ExtractedType:
    """Returns the type of the rows of a table: None for ``Row``, which takes any columns; that of a dataclass otherwise."""
    if get_origin(annotation) in (types.UnionType,) or str(get_origin(annotation)) == "typing.Union":
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        if len(members) == 1:
            annotation = members[0]
    if annotation in (NOTHING, Row, Any, object) or _is_record_batch(annotation):
        return ExtractedType(None, None, True, False)
    extracted = extract_type(annotation, where)
    if not isinstance(extracted.type, (RowType, StructuredType)):
        raise ValidationException(
            f"The {where} is a table, but is annotated as {type_text(annotation)}.", hint="Row, or a dataclass of its columns"
        )
    return extracted


def _is_record_batch(annotation: Any) -> bool:
    return getattr(annotation, "__name__", "") == "RecordBatch" and str(getattr(annotation, "__module__", "")).startswith("pyarrow")


def _check_together(arguments: list[ProcessArgument], states: list[StateEntry], owner: str) -> None:
    tables = [argument for argument in arguments if argument.is_table]
    for entry in states:
        if not any(table.is_set for table in tables):
            raise ValidationException(
                f"{owner}.eval has the state '{entry.name}', but no table with set semantics: state belongs to a partition.",
                hint="ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)",
            )
    if len(tables) > 1:
        wrong = next((table for table in tables if not table.is_set), None)
        if wrong is not None:
            raise ValidationException(
                f"{owner}.eval has several tables, but '{wrong.name}' has row semantics.",
                hint="all must have ArgumentTrait.SET_SEMANTIC_TABLE",
            )
        through = next((table for table in tables if ArgumentTrait.PASS_COLUMNS_THROUGH in table.traits), None)
        if through is not None:
            raise ValidationException(
                f"{owner}.eval has several tables, but '{through.name}' has PASS_COLUMNS_THROUGH.", hint="yield the columns that are needed"
            )


def _timer(function: ProcessTableFunction[Any], states: list[StateEntry], owner: str, name: str) -> tuple[tuple[int, ...] | None, bool]:
    if not implements(function, name):
        return None, False
    method: Method = read_method(getattr(function, name), name, owner, 0)
    parameters = list(method.parameters)
    takes_context = bool(parameters) and _is_context(parameters[0])
    names = [entry.name for entry in states]
    found = []
    for parameter in parameters[takes_context:]:
        if parameter.name not in names:
            raise ValidationException.unknown(
                "State",
                parameter.name,
                names,
                where=f"the parameters of {owner}.{name}",
                hint=f"{name} takes the context and states of eval",
            )
        found.append(names.index(parameter.name))
    return tuple(found), takes_context


def _names(traits: frozenset[ArgumentTrait] | set[ArgumentTrait]) -> str:
    return " and ".join(sorted(trait.value for trait in traits))
