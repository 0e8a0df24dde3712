"""Extracts the signatures and the type inference of a user function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.exceptions import ValidationException, WrongKindException
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.extraction.checks import check_aggregate_methods, check_signature
from table_common.functions.extraction.methods import NOTHING, Method, overloads_of, read_method
from table_common.functions.extraction.overloads import Overloads
from table_common.functions.extraction.results import accumulator_type, aggregate_output, scalar_output, table_output
from table_common.functions.extraction.signature import NO_DEFAULT, Parameter, Signature
from table_common.functions.extraction.templates import completed_hints
from table_common.functions.hinting import FunctionHint, hints_of
from table_common.functions.user_defined import AsyncTableFunction, TableFunction, UserDefinedFunction, _Aggregating, implements
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeInference, TypeStrategy
from table_common.types.extraction import DataTypeHint, ExtractedType, ExtractionOptions, extract_type
from table_common.types.logical import ArrayType, LogicalType


@dataclass(frozen=True, slots=True)
class ExtractedFunction:
    """The result of extraction: signatures in declared order, the type inference, and how the function takes its arguments.

    Example:
        >>> from table_common.functions import ScalarFunction
        >>> class Longest(ScalarFunction):
        ...     def eval(self, left: str, right: str) -> str:
        ...         return max(left, right, key=len)
        >>> extract_function(Longest()).func_type
        'general'
    """

    signatures: tuple[Signature, ...]
    type_inference: TypeInference
    func_type: str


def extract_function(
    function: UserDefinedFunction, *, hint: FunctionHint | None = None, takes_unannotated: bool = False, owner: str | None = None
) -> ExtractedFunction:
    """Returns the signatures of a function.

    Where ``hint`` or ``get_result_type`` declares the result, annotations do not count, as in PyFlink: a parameter takes any type, and None
    for NULL. Only an annotation with a ``DataTypeHint`` declares its parameter there, too.

    Args:
        function: The function; methods are looked up on the object, so that they may be set on it.
        hint: A hint that replaces those on the method, such as that of ``udf(…, input_types=…)``.
        takes_unannotated: Whether a parameter without annotation takes any type; otherwise it is an error.
        owner: The name of the function in messages.

    Raises:
        ValidationException: A type is missing or cannot be extracted, or a method cannot be called with what the hints say.

    Example:
        >>> from table_common.functions import ScalarFunction
        >>> class Longest(ScalarFunction):
        ...     def eval(self, left: str, right: str) -> str:
        ...         return max(left, right, key=len)
        >>> [signature.describe() for signature in extract_function(Longest()).signatures]
        ['left => <STRING>, right => <STRING>']
    """
    owner = owner or type(function).__qualname__
    is_aggregate = isinstance(function, _Aggregating)
    says_result = isinstance(function, _Aggregating) and function.get_result_type() is not None
    takes_unannotated = takes_unannotated or says_result  # as PyFlink's classes are written, which say all types in methods
    only_hints = says_result or (hint is not None and hint.output is not None)
    name = "accumulate" if is_aggregate else "eval"
    target = getattr(function, name, None)
    if target is None or not implements(function, name):
        raise WrongKindException(f"{owner} does not define {name}.", hint=f"def {name}(self, {'accumulator, ' if is_aggregate else ''}…)")
    skip = 1 if is_aggregate else 0
    implementation = read_method(target, name, owner, skip, only_hints=only_hints)
    signatures: list[Signature] = []
    for overload in overloads_of(target):
        method = implementation if overload is target else read_method(overload, name, owner, skip + 1, only_hints=only_hints)
        own = (hint,) if hint is not None else hints_of(overload) or (hints_of(target) if overload is not target else ())
        for completed in completed_hints(own, hints_of(type(function)), owner):
            signature = _signature(function, method, completed, owner, takes_unannotated, only_hints)
            is_hinted = completed.input is not None
            check_signature(signature, implementation, owner, is_hinted=is_hinted, names_given=completed.argument_names is not None)
            signatures.append(signature)
    _refuse_equal(signatures, owner)
    if is_aggregate:
        check_aggregate_methods(function, implementation, owner, only_hints=only_hints)
    func_type = _func_type(function, signatures)
    if func_type != "general":
        signatures = [replace(signature, skips_nulls=False) for signature in signatures]
    return ExtractedFunction(
        tuple(signatures), _type_inference(signatures, is_scalar=not is_aggregate and not _is_table(function)), func_type
    )


def _is_table(function: UserDefinedFunction) -> bool:
    return isinstance(function, (TableFunction, AsyncTableFunction))


def _signature(
    function: UserDefinedFunction, method: Method, hint: FunctionHint, owner: str, takes_unannotated: bool, only_hints: bool
) -> Signature:
    options = ExtractionOptions()
    parameters = _hinted_parameters(method, hint, owner, options) if hint.input is not None else None
    is_var_args = hint.is_var_args if hint.is_var_args is not None else parameters is None and method.var_args is not None
    if parameters is None:
        written = [*method.parameters, *([method.var_args] if is_var_args and method.var_args is not None else [])]
        parameters = [
            Parameter(p.name, _parameter_type(p.annotation, p.name, method, owner, None, options, takes_unannotated), p.default)
            for p in written
        ]
    if is_var_args and not parameters:
        raise ValidationException(f"The hint of {owner}.{method.name} says is_var_args, but there is no argument to repeat.")
    inside = options.within(hint.output)
    accumulator = None
    if isinstance(function, _Aggregating):
        output = aggregate_output(function, hint.output, owner, inside, only_hints=only_hints)
        accumulator = accumulator_type(function, hint.accumulator, owner, options.within(hint.accumulator), only_hints=only_hints)
    elif _is_table(function):
        output = table_output(function, method, hint.output, owner, inside)
    else:
        output = scalar_output(method, hint.output, owner, inside)
    return Signature(tuple(parameters), is_var_args, output, accumulator)


def _hinted_parameters(method: Method, hint: FunctionHint, owner: str, options: ExtractionOptions) -> list[Parameter]:
    assert hint.input is not None
    found = []
    for position, argument in enumerate(hint.input):
        written = method.parameter(position)
        name = hint.argument_names[position] if hint.argument_names is not None else None
        if written is None:
            name = name or f"arg{position}"
            found.append(Parameter(name, _parameter_type(NOTHING, name, method, owner, argument, options, True)))
            continue
        if name is None:
            name = f"arg{position}" if written is method.var_args else written.name
        annotation = written.annotation if written is not method.var_args or written.annotation is not object else NOTHING
        default = NO_DEFAULT if written is method.var_args else written.default
        found.append(Parameter(name, _parameter_type(annotation, name, method, owner, argument, options, True), default))
    return found


def _parameter_type(
    annotation: Any,
    name: str,
    method: Method,
    owner: str,
    hint: DataTypeHint | None,
    options: ExtractionOptions,
    takes_unannotated: bool,
) -> ExtractedType:
    where = f"parameter '{name}' of {owner}.{method.name}"
    if annotation is NOTHING:
        if hint is None:
            if takes_unannotated:
                return ExtractedType(None, None, True, False)
            raise ValidationException(
                f"The {where} has no type.",
                hint=f"Annotate it ({name}: int), or take any type: {name}: Annotated[Any, DataTypeHint(take_arbitrary_input=True)].",
            )
        found = extract_type(hint.bridged_to or object, where, options, hint)
        return replace(found, accepts_none=True, is_annotated=False)
    try:
        return extract_type(annotation, where, options, hint)
    except ValidationException:
        if not takes_unannotated or hint is not None:
            raise
        return ExtractedType(None, None, True, False)  # such as Row, whose fields are those of what is given


def _refuse_equal(signatures: Sequence[Signature], owner: str) -> None:
    seen: list[tuple[Any, ...]] = []
    for signature in signatures:
        key = (tuple(_nullable(parameter.extracted.type) for parameter in signature.parameters), signature.is_var_args)
        if key in seen:
            raise ValidationException(f"{owner} has two signatures with the same arguments: ({signature.describe()}).")
        seen.append(key)


def _nullable(type_: LogicalType | None) -> LogicalType | None:
    return None if type_ is None else type_.with_nullability(True)


def _func_type(function: UserDefinedFunction, signatures: Sequence[Signature]) -> str:
    """Returns ``arrow`` or ``pandas`` where the function says so, or where it takes such columns for values that are no arrays."""
    if function.func_type not in ("general", "arrow", "pandas"):
        raise ValidationException.unknown("func_type", function.func_type, ("general", "arrow", "pandas"))
    if function.func_type == "general":
        for parameter in (parameter for signature in signatures for parameter in signature.parameters):
            conversion, type_ = parameter.extracted.conversion, parameter.extracted.type
            if conversion is not None and not isinstance(type_, ArrayType):
                library = conversion.__module__.partition(".")[0]
                if library in ("pyarrow", "pandas"):
                    return "arrow" if library == "pyarrow" else "pandas"
    return function.func_type


def _type_inference(signatures: Sequence[Signature], *, is_scalar: bool) -> TypeInference:
    overloads = Overloads(tuple(signatures))

    def output(context: CallContext) -> LogicalType | None:
        chosen = overloads.choose(context)
        return None if chosen is None else chosen[0].output_type(context.argument_types, is_nullable_by_arguments=is_scalar)

    accumulators = [s.accumulator.type for s in signatures if s.accumulator is not None and s.accumulator.type is not None]
    accumulator: TypeStrategy | None = (lambda context: accumulators[0]) if accumulators else None
    names, optional = None, None
    if len(signatures) == 1 and not signatures[0].is_var_args:
        names = tuple(parameter.name for parameter in signatures[0].parameters)
        optional = tuple(parameter.is_optional for parameter in signatures[0].parameters)
    return TypeInference(overloads, output, accumulator, names, optional)
