"""TO_CHANGELOG and FROM_CHANGELOG: their arguments, and the operations that they are; the same for SQL and the Table API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from table_api.delegation import Session
from table_api.expressions.unresolved import Call, Literal, NamedArgument, Reference, Span, Star, Symbol, UnresolvedExpression
from table_api.operations import FromChangelogQueryOperation, QueryOperation, ToChangelogQueryOperation
from table_common.connector import RowKind
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import collections, conversion

_ARGUMENTS = ("input", "op", "op_mapping", "on_time", "uid")
"""The names of the arguments, in their order."""

_DEFAULT_OP = "op"
_EXAMPLES = {
    "TO_CHANGELOG": "MAP['INSERT, UPDATE_AFTER', 'upsert', 'DELETE', 'delete']",
    "FROM_CHANGELOG": "MAP['c, r', 'INSERT', 'ub', 'UPDATE_BEFORE', 'ua', 'UPDATE_AFTER', 'd', 'DELETE']",
}

Positions = Callable[[Span | None], SourcePosition | None]


def change_arguments(name: str, args: Sequence[UnresolvedExpression], position: Positions) -> Mapping[str, UnresolvedExpression]:
    """Returns the arguments of a call by name, without those that are left out or DEFAULT.

    Raises:
        ValidationException: an argument is unknown, or given twice, or by position after one by name.
    """
    signature = f"{name}({', '.join(_ARGUMENTS[:3])})"
    given: dict[str, UnresolvedExpression] = {}
    is_named = False
    for number, arg in enumerate(args):
        value = arg
        if isinstance(arg, NamedArgument):
            is_named = True
            argument, value = arg.name.lower(), arg.value
        elif is_named:
            raise ValidationException(
                f"{name} got a positional argument after a named one.",
                position=position(arg.span),
                hint=f"the arguments are {signature}",
            )
        elif number < len(_ARGUMENTS):
            argument = _ARGUMENTS[number]
        else:
            raise ValidationException(
                f"{name} has at most {len(_ARGUMENTS)} arguments, but got {len(args)}.", position=position(arg.span), hint=signature
            )
        if argument not in _ARGUMENTS:
            # Differs from Flink: FROM_CHANGELOG and TO_CHANGELOG refuse unknown arguments. Flink ignores them.
            raise ValidationException.unknown("Argument", argument, _ARGUMENTS[:3], where=name).at(position(arg.span))
        if argument in given:
            raise ValidationException(f"{name} got the argument '{argument}' twice.", position=position(arg.span))
        given[argument] = value
    # ``uid`` names state, of which these functions have none.
    return {argument: value for argument, value in given.items() if not _is_left_out(value)}


def change_function(
    name: str, session: Session, child: QueryOperation, arguments: Mapping[str, UnresolvedExpression], position: Positions
) -> QueryOperation:
    """Returns the operation of a call over the rows of ``child``.

    Raises:
        ValidationException: an argument is of the wrong kind, or says what cannot be.
        TableException: the session is in batch mode.
    """
    if not session.is_streaming_mode:
        raise TableException(
            f"{name} is for streaming mode, but this session is in batch mode.",
            hint="SET 'execution.runtime-mode' = 'streaming'",
        )
    if "on_time" in arguments:
        raise ValidationException(f"{name} takes no time column (on_time).", position=position(arguments["on_time"].span))
    op, mapping = arguments.get("op"), arguments.get("op_mapping")
    column = _DEFAULT_OP if op is None else _column_name(name, op, position)
    try:
        pairs = None if mapping is None else _literal_pairs(name, mapping)
        codes = _codes_by_kind(pairs) if name == "TO_CHANGELOG" else _kinds_by_code(pairs)
    except ValidationException as error:
        raise error.at(position(mapping.span if mapping is not None else None)) from None
    try:
        if name == "TO_CHANGELOG":
            return ToChangelogQueryOperation(child, tuple((kind, code) for code, kind in codes), column)
        return FromChangelogQueryOperation(child, _op_column(child, column), tuple(codes))
    except ValidationException as error:
        raise error.at(position(op.span if op is not None else None)) from None


def change_function_of_table(name: str, session: Session, table: QueryOperation, args: Sequence[UnresolvedExpression]) -> QueryOperation:
    """Returns the operation of a method of ``Table``, whose arguments are those after the table.

    Raises:
        ValidationException, TableException: as ``change_arguments`` and ``change_function``.
    """

    def position(span: Span | None) -> None:
        return None

    arguments = dict(change_arguments(name, (Star(), *args), position))
    del arguments["input"]
    return change_function(name, session, table, arguments, position)


def _is_left_out(value: UnresolvedExpression) -> bool:
    """Whether an argument is DEFAULT or NULL."""
    value = _without_cast(value)
    return isinstance(value, Symbol) or (isinstance(value, Literal) and value.value is None)


def _without_cast(value: UnresolvedExpression) -> UnresolvedExpression:
    return value.args[0] if isinstance(value, Call) and value.function is conversion.CAST else value


def _column_name(name: str, op: UnresolvedExpression, position: Positions) -> str:
    if isinstance(op, Call) and op.function == ("DESCRIPTOR",) and len(op.args) == 1:
        (column,) = op.args
        if isinstance(column, Reference) and len(column.path) == 1:
            return column.path[0]
    raise ValidationException(
        f"The argument 'op' of {name} must name one column.", position=position(op.span), hint="write it as DESCRIPTOR(op)"
    )


def _op_column(child: QueryOperation, name: str) -> FieldReferenceExpression:
    columns = child.resolved_schema.columns
    for index, column in enumerate(columns):
        if column.name == name:
            return FieldReferenceExpression(name, column.data_type, 0, index)
    raise ValidationException.unknown(
        "Column", name, [column.name for column in columns], where="the table of FROM_CHANGELOG, which has the codes"
    )


def _literal_pairs(name: str, mapping: UnresolvedExpression) -> dict[str, str]:
    """Returns the keys and values of a map of constant texts."""
    if isinstance(mapping, Call) and mapping.function is collections.MAP:
        values = map(_without_cast, mapping.args)
        texts = [value.value for value in values if isinstance(value, Literal) and isinstance(value.value, str)]
        if texts and len(texts) == len(mapping.args) and len(texts) % 2 == 0:
            return dict(zip(texts[::2], texts[1::2], strict=True))
    raise ValidationException(
        f"The argument 'op_mapping' of {name} must be a map of constant texts.", hint=f"write it as {_EXAMPLES[name]}"
    )


def _codes_by_kind(pairs: Mapping[str, str] | None) -> list[tuple[str, RowKind]]:
    """Returns the code of each kind, which TO_CHANGELOG writes."""
    if pairs is None:
        return [(kind.name, kind) for kind in RowKind]
    codes: dict[RowKind, str] = {}
    for names, code in pairs.items():
        for part in _parts(names):
            kind = _kind(part)
            if kind in codes:
                raise ValidationException(f"op_mapping names {kind.name} twice.", hint="each kind of change has one code")
            codes[kind] = code
    return [(codes[kind], kind) for kind in RowKind if kind in codes]


def _kinds_by_code(pairs: Mapping[str, str] | None) -> list[tuple[str, RowKind]]:
    """Returns the kind of each code, which FROM_CHANGELOG reads."""
    if pairs is None:
        return [(kind.name, kind) for kind in RowKind]
    kinds: dict[str, RowKind] = {}
    for texts, name in pairs.items():
        kind = _kind(name.strip())
        if kind in kinds.values():
            raise ValidationException(
                f"op_mapping names {kind.name} twice.", hint=f"write the codes of one kind in one key: MAP['c, r', '{kind.name}']"
            )
        for code in _parts(texts):
            if kinds.get(code, kind) is not kind:
                raise ValidationException(f"op_mapping maps the code '{code}' to two kinds: {kinds[code].name} and {kind.name}.")
            kinds[code] = kind
    if RowKind.UPDATE_AFTER in kinds.values() and RowKind.UPDATE_BEFORE not in kinds.values():
        raise ValidationException(
            "op_mapping has a code for UPDATE_AFTER, but none for UPDATE_BEFORE: without the row before an update it is not known which row changed.",
            hint="map both; or select the row with the highest time or number per key: ROW_NUMBER() OVER (PARTITION BY key ORDER BY time DESC) = 1",
        )
    return list(kinds.items())


def _parts(text: str) -> Iterable[str]:
    """Yields the parts between commas, without blanks around them."""
    parts = text.split(",")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return (part.strip() for part in parts)


def _kind(name: str) -> RowKind:
    try:
        return RowKind[name]
    except KeyError:
        raise ValidationException.unknown("Kind of change", name, [kind.name for kind in RowKind], where="op_mapping") from None
