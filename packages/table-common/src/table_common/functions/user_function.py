"""``UserFunction``: a user function in plans, with its name, signatures and type inference."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table_common.annotation import override
from table_common.exceptions import TableError, ValidationException, WrongKindException
from table_common.functions.definition import FunctionDefinition, FunctionKind
from table_common.functions.extraction import ExtractedFunction, Parameter, Signature, extract_function
from table_common.functions.extraction.methods import NOTHING, read_method
from table_common.functions.extraction.overloads import Overloads
from table_common.functions.hinting import FunctionHint
from table_common.functions.user_defined import UserDefinedFunction, _Aggregating, implements
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeInference
from table_common.types.extraction import ExtractedType, extract_type
from table_common.types.logical import LogicalType

if TYPE_CHECKING:
    from table_common.functions.extraction.process import ProcessSignature


class UserFunction(FunctionDefinition):
    """The definition of a user function. Its type inference is extracted when it is created, so that errors occur at registration.

    Args:
        function: The function itself.
        name: The name in plans and messages; by default the class's name.
        hint: A hint that replaces those on its methods.
        takes_unannotated: Whether parameters without annotation take any type.
        deterministic: Overrides the function's own declaration.
        func_type: Overrides the function's own declaration.

    Raises:
        ValidationException: The typing rules cannot be extracted.

    Example:
        >>> from table_common.functions import ScalarFunction
        >>> class Longest(ScalarFunction):
        ...     def eval(self, left: str, right: str) -> str:
        ...         return max(left, right, key=len)
        >>> UserFunction(Longest()).name
        'Longest'
    """

    is_user_defined = True

    def __init__(
        self,
        function: UserDefinedFunction,
        name: str | None = None,
        *,
        hint: FunctionHint | None = None,
        takes_unannotated: bool = False,
        deterministic: bool | None = None,
        func_type: str | None = None,
    ) -> None:
        self.function = function
        self._name = name or type(function).__qualname__
        self._deterministic = bool(function.is_deterministic()) if deterministic is None else deterministic
        self.job_parameters: dict[str, str] = {}
        self.python_files: tuple[str, ...] = ()
        self.cached_files: dict[str, str] = {}
        self.archives: tuple[str, ...] = ()
        """The cached files that are linked in the working directory, under their names."""
        self.truncates_fractions = False
        """Whether a fraction that the function returns for an integer type is cut; otherwise it is an error."""
        self._variants: dict[object, UserFunction] = {}
        if func_type is not None and func_type != "general":
            function.func_type = func_type
        self.process: ProcessSignature | None = None
        """How a process table function is called; None for other kinds, which have ``signatures``."""
        self._inference = function.get_type_inference()
        if function.KIND is FunctionKind.PROCESS_TABLE:
            self.process = _process_signature(function, hint, self._name)
            self.signatures: tuple[Signature, ...] = ()
            self.func_type = function.func_type
            self._extracted: ExtractedFunction | None = None
        elif self._inference is not None:
            self.signatures = (_undeclared(function, self._name),)
            self.func_type = function.func_type
            self._extracted = None
        else:
            extracted = extract_function(function, hint=hint, takes_unannotated=takes_unannotated, owner=self._name)
            self._extracted = extracted
            self._inference = extracted.type_inference
            self.signatures = extracted.signatures
            self.func_type = extracted.func_type

    @property
    @override
    def name(self) -> str:
        return self._name

    @property
    @override
    def kind(self) -> FunctionKind:
        return self.function.KIND

    @property
    @override
    def is_deterministic(self) -> bool:
        return self._deterministic

    @override
    def get_type_inference(self) -> TypeInference:
        """Returns the typing rules.

        Raises:
            ValidationException: It is a process table function, whose tables are no arguments of a call.
        """
        if self.process is not None:
            raise ValidationException(
                f"{self._name} is a process table function, so it can only be used in FROM.", hint=f"FROM {self._name}(…)"
            )
        assert self._inference is not None
        return self._inference

    def named(self, name: str) -> UserFunction:
        """Returns the same function under another name."""
        if name == self._name:
            return self
        copy = UserFunction.__new__(UserFunction)
        copy.__dict__.update(self.__dict__, _name=name, _variants={})
        return copy

    def with_job(
        self,
        job_parameters: Mapping[str, str],
        python_files: Sequence[str],
        cached_files: Mapping[str, str] | None = None,
        archives: Sequence[str] = (),
        *,
        truncates_fractions: bool = False,
    ) -> UserFunction:
        """Returns the function for jobs with these parameters, files and rules; cached, since plans compare functions by identity."""
        cached_files = cached_files or {}
        files = tuple(sorted(cached_files.items()))
        key = (tuple(sorted(job_parameters.items())), tuple(python_files), files, tuple(archives), truncates_fractions)
        found = self._variants.get(key)
        if found is None:
            found = self._variants[key] = UserFunction.__new__(UserFunction)
            found.__dict__.update(
                self.__dict__,
                job_parameters=dict(job_parameters),
                python_files=key[1],
                cached_files=dict(cached_files),
                archives=key[3],
                truncates_fractions=truncates_fractions,
                _variants={},
            )
        return found

    def signature_for(self, argument_types: Sequence[LogicalType]) -> Signature:
        """Returns the signature of a call whose arguments have been cast to these types."""
        if len(self.signatures) == 1:
            return self.signatures[0]
        chosen = Overloads(self.signatures).choose(CallContext(self._name, tuple(argument_types), {}))
        return self.signatures[0] if chosen is None else chosen[0]

    def __getstate__(self) -> dict[str, Any]:
        # Type inference is finished before a function is sent to workers; its strategies hold closures, which cannot be pickled.
        return {**self.__dict__, "_inference": None, "_extracted": None, "_variants": {}}

    def __repr__(self) -> str:
        return self._name


def as_user_function(function: Any, name: str | None = None) -> UserFunction:
    """Returns the definition of a function that is a class, an object, or a definition already.

    Raises:
        ValidationException: It is none of these, or a class that cannot be instantiated without arguments.

    Example:
        >>> from table_common.functions import ScalarFunction
        >>> class Longest(ScalarFunction):
        ...     def eval(self, left: str, right: str) -> str:
        ...         return max(left, right, key=len)
        >>> as_user_function(Longest, name="longest").name
        'longest'
    """
    function = getattr(function, "definition", function)  # what udf and its kin return
    if isinstance(function, UserFunction):
        return function if name is None else function.named(name)
    if isinstance(function, type) and issubclass(function, UserDefinedFunction):
        try:
            inspect.signature(function).bind()
        except TypeError as error:
            raise ValidationException(
                f"The class {function.__qualname__} cannot be made without arguments: {error}.",
                hint=f"Pass an object: {function.__qualname__}(…).",
            ) from None
        function = function()
    if isinstance(function, UserDefinedFunction):
        return UserFunction(function, name)
    what = function.__qualname__ if isinstance(function, type) or inspect.isroutine(function) else type(function).__qualname__
    raise ValidationException(
        f"'{what}' is not a function of ours.",
        hint="Derive from ScalarFunction, TableFunction, AggregateFunction…, or wrap it: udf(f, result_type=…).",
    )


def _process_signature(function: UserDefinedFunction, hint: FunctionHint | None, owner: str) -> ProcessSignature:
    from table_common.functions.extraction.process import extract_process_signature  # few functions are one
    from table_common.functions.process_table import ProcessTableFunction

    if not isinstance(function, ProcessTableFunction):
        raise WrongKindException(f"{owner} is of the kind of process table functions.", hint="Derive from ProcessTableFunction.")
    return extract_process_signature(function, hint, owner)


def _undeclared(function: UserDefinedFunction, owner: str) -> Signature:
    """Returns the signature of a function with its own type inference: the call's types, with the NULL handling of the annotations."""
    is_aggregate = isinstance(function, _Aggregating)
    name = "accumulate" if is_aggregate else "eval"
    target = getattr(function, name, None)
    if target is None or not implements(function, name):
        raise WrongKindException(f"{owner} does not define {name}.")
    method = read_method(target, name, owner, 1 if is_aggregate else 0)
    written = [*method.parameters, *([method.var_args] if method.var_args is not None else [])]
    parameters = tuple(Parameter(p.name, _loosely(p.annotation, f"parameter '{p.name}' of {owner}"), p.default) for p in written)
    return Signature(parameters, method.var_args is not None, _loosely(method.result, f"the result of {owner}"))


def _loosely(annotation: Any, where: str) -> ExtractedType:
    if annotation is NOTHING or annotation is None:
        return ExtractedType(None, None, True, False)
    try:
        return extract_type(annotation, where)
    except TableError:
        return ExtractedType(None, None, True, False)
