"""String functions. Positions and lengths count code points, in Spark as in Flink."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_common.expressions import CallExpression, TrimMode
from table_common.functions import MAX_VALUE_SIZE, FunctionDefinition, UrlParts
from table_common.functions.builtin import strings as fn
from table_common.java_patterns import is_costly_java_pattern, optional_groups, read_java_pattern
from table_common.types import BinaryStringType, CharacterType
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.patterns import like, negated, similar
from table_planner_spark.expressions.functions.translation import Translation, literal_of, sql, template
from table_planner_spark.expressions.names import base64_text, bind, quote_text
from table_planner_spark.expressions.value_sizes import guarded, refused
from table_planner_spark.expressions.worker_kernels import through_kernel

_NULL_TEXT = "CAST(NULL AS STRING)"
_NULL_TEXTS = "CAST(NULL AS ARRAY<STRING>)"


def _position(call: CallExpression, args: Sequence[str]) -> str:
    return f"locate({', '.join(args)})"


_instr_from = template(
    "(CASE WHEN {2} > 0 THEN locate({1}, {0}, {2}) WHEN {2} = 0 OR {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN if({2} = 0, 0, NULL) "
    "ELSE if(locate(reverse({1}), reverse({0}), abs({2})) = 0, 0, "
    "length({0}) - locate(reverse({1}), reverse({0}), abs({2})) - length({1}) + 2) END)"
)


def _instr(call: CallExpression, args: Sequence[str]) -> str:
    if len(args) == 2:
        return f"instr({args[0]}, {args[1]})"
    return _instr_from(call, args) if len(args) == 3 else through_kernel(call, args)


_TRIM = {TrimMode.BOTH: "BOTH", TrimMode.LEADING: "LEADING", TrimMode.TRAILING: "TRAILING"}


_SPACE = quote_text(" ")


def _trim(call: CallExpression, args: Sequence[str]) -> str:
    mode = literal_of(call, 0)
    if isinstance(mode, TrimMode):  # TRIM(mode, characters, text)
        return _trimmed(_TRIM[mode], args[1], args[2])
    return f"trim({args[0]})"


def _trim_side(side: str) -> Translation:
    return lambda call, args: _trimmed(side, args[1] if len(args) > 1 else _SPACE, args[0])


def _trimmed(side: str, characters: str, text: str) -> str:
    """Omits the characters if they are a space, the default: Spark then compares bytes instead of characters."""
    return f"trim({side} FROM {text})" if characters == _SPACE else f"trim({side} {characters} FROM {text})"


def _substring(call: CallExpression, args: Sequence[str]) -> str:
    start, length = literal_of(call, 1), literal_of(call, 2) if len(args) > 2 else 0
    text = f"substring({', '.join(f'{{{i}}}' for i in range(len(args)))})"
    if not (isinstance(start, int) and start >= 0):  # if the start lies before the text, Spark returns the part that lies inside
        text = f"if({{1}} < 0 AND length({{0}}) + {{1}} < 0, '', {text})"
    if not (isinstance(length, int) and length >= 0):
        text = f"if({{2}} < 0, NULL, {text})"
    return template(text)(call, args)


_overlaid = refused(
    "OVERLAY",
    "(0L + length({0}) + length({1}))",
    "concat(substring({0}, 1, {2} - 1), {1}, substring({0}, {2} + {3}))",
    "characters",
    unless=f"0L + octet_length({{0}}) + octet_length({{1}}) <= {MAX_VALUE_SIZE}",
)
_overlay = template("if({1} IS NULL OR {3} IS NULL, NULL, if({2} <= 0 OR {2} > length({0}), {0}, " + _overlaid + "))")


def _overlay_of(call: CallExpression, args: Sequence[str]) -> str:
    return _overlay(call, args if len(args) == 4 else [*args, f"length({args[1]})"])


def _guarded(function: str, size: str, made: str) -> str:
    """Returns Spark SQL for ``made`` that fails, as on the embedded engine, if the size is too large.

    ``made`` must be cheap even then: for constants, Spark also evaluates branches that are not taken.
    """
    message = (
        f"concat('{function} would create a value of ', format_number({size}, 0), ' characters, but a value may have {MAX_VALUE_SIZE:,}.')"
    )
    return f"if({size} > {MAX_VALUE_SIZE}, raise_error({message}), {made})"


def _padded(function: str) -> str:
    made = f"{function}({{0}}, if({{1}} > {MAX_VALUE_SIZE}, 0, {{1}}), {{2}})"
    return f"if({{1}} < 0 OR {{2}} = '', NULL, {_guarded('The padded text', '{1}', made)})"


_REPEATED = "length({0}) * CAST({1} AS BIGINT)"
_repeat = template(_guarded("REPEAT", _REPEATED, f"repeat({{0}}, if({_REPEATED} > {MAX_VALUE_SIZE}, 0, {{1}}))"))


def _replace(call: CallExpression, args: Sequence[str]) -> str:
    searched, new = literal_of(call, 1), literal_of(call, 2)
    if isinstance(searched, str) and searched and isinstance(new, str) and len(new) <= _MOST_GROWTH * len(searched):
        return f"replace({', '.join(args)})"
    removed = "replace({0}, {1}, '')"
    count = "(octet_length({0}) - octet_length(" + removed + ")) div nullif(octet_length({1}), 0)"
    if isinstance(searched, str) and searched:
        return _growing("REPLACE", "replace({text}, {{1}}, {{2}})", removed, count, call, args)
    # As in Java, the empty text is found before every character and at the end.
    replaced = "if({{1}} = '', concat({{2}}, regexp_replace({text}, '(?s)(.)', concat('$1', " + _quoted("{{2}}") + "))), "
    replaced += "replace({text}, {{1}}, {{2}}))"
    removed = f"if({{1}} = '', {{0}}, {removed})"
    return _growing("REPLACE", replaced, removed, f"if({{1}} = '', length({{0}}) + 1, {count})", call, args)


_LITERAL = "regexp_replace({}, '([$\\\\\\\\])', '\\\\\\\\$1')"
"""Escapes a replacement, so that the regular expression inserts it literally."""
_MOST_GROWTH = 16
"""The growth factor up to which a constant replacement needs no size check."""


def _quoted(replacement: str) -> str:
    return _LITERAL.format(replacement)


def _growing(function: str, made: str, removed: str, count: str, call: CallExpression, args: Sequence[str]) -> str:
    """Returns Spark SQL for a replacement that fails, as on the embedded engine, if its result would be too large.

    Args:
        function: The function's name in messages.
        made: The replacement in ``{text}``, which is the argument, or empty where Spark must not evaluate it in advance.
        removed: The text without the replaced parts.
        count: The number of replaced parts.
    """
    fits = f"(octet_length({{0}}) + 1) * CAST(octet_length({{2}}) AS BIGINT) <= {MAX_VALUE_SIZE}"
    size = f"(octet_length({removed}) + {count} * CAST(octet_length({{2}}) AS BIGINT))"
    unless_large = f"if(__size > {MAX_VALUE_SIZE}, '', {{0}})"
    measured = f"element_at(transform(array({size}), __size -> {_guarded(function, '__size', made.format(text=unless_large))}), 1)"
    small = f"if({fits}, {{0}}, '')"
    text = f"if({fits}, {made.format(text=small)}, {measured})"
    return template(f"if({{0}} IS NULL OR {{1}} IS NULL OR {{2}} IS NULL, NULL, {text})")(call, args)


def _regexp_replace(call: CallExpression, args: Sequence[str]) -> str:
    new = literal_of(call, 2)
    if isinstance(new, str) and len(new) <= _MOST_GROWTH:
        return f"regexp_replace({args[0]}, {args[1]}, {_quoted(args[2])})"
    made = "regexp_replace({text}, {{1}}, " + _quoted("{{2}}") + ")"
    return _growing("REGEXP_REPLACE", made, "regexp_replace({0}, {1}, '')", "regexp_count({0}, {1})", call, args)


def _pattern_function(translate: Translation, nothing: str) -> Translation:
    """Translates a function whose second argument is a regular expression; ``nothing`` is its result for an invalid one.

    Patterns that may make Java backtrack without end run in Python workers, which use RE2: neither a time limit nor Spark can stop Java's matcher.
    So do patterns that are not constant.
    """

    def of_pattern(call: CallExpression, args: Sequence[str]) -> str:
        pattern = literal_of(call, 1)
        if not isinstance(pattern, str):
            return through_kernel(call, args)
        read = read_java_pattern(pattern)
        if read is None:
            return f"if({args[0]} IS NULL, NULL, {nothing})"
        return through_kernel(call, args) if read.groups is None or is_costly_java_pattern(pattern) else translate(call, args)

    return of_pattern


def _of_group(translate: Callable[[int], Translation], usual: int, nothing: str) -> Translation:
    """Translates a function of a capturing group, by default number ``usual``.

    A group that can be absent from a match goes through the kernel: Spark would return an empty string for it.
    """

    def of_group(call: CallExpression, args: Sequence[str]) -> str:
        group = literal_of(call, 2) if len(args) > 2 else usual
        read = read_java_pattern(str(literal_of(call, 1)))
        if not isinstance(group, int) or read is None or read.groups is None:
            return through_kernel(call, args)
        if not 0 <= group <= read.groups:
            return nothing
        return through_kernel(call, args) if group in optional_groups(read.tree) else translate(group)(call, args)

    return of_group


def _regexp_extract(group: int) -> Translation:
    return template(f"if({{0}} RLIKE {{1}}, regexp_extract({{0}}, {{1}}, {group}), NULL)")


def _regexp_extract_all(group: int) -> Translation:
    return template(f"regexp_extract_all({{0}}, {{1}}, {group})")


def _elt(call: CallExpression, args: Sequence[str]) -> str:
    options = [
        to_spark_cast(text, arg.output_type, call.output_type.with_nullability(True))
        if isinstance(arg.output_type, CharacterType)
        else text
        for text, arg in zip(args[1:], call.args[1:], strict=True)
    ]
    return f"get(array({', '.join(options)}), CAST(least({args[0]}, {len(options) + 1}) AS INT) - 1)"


def _character_class(pattern: str) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        text = args[0] if isinstance(call.args[0].output_type, CharacterType) else f"CAST({args[0]} AS STRING)"
        return f"coalesce({text} RLIKE {quote_text(pattern)}, false)"

    return translate


def _initcap(call: CallExpression, args: Sequence[str]) -> str:
    # Every run of ASCII letters and digits is a word; Spark's initcap separates words only at spaces.
    words = f"regexp_extract_all({args[0]}, '([a-zA-Z0-9]+|[^a-zA-Z0-9]+)', 1)"
    return f"array_join(transform({words}, __word -> if(__word RLIKE '^[a-zA-Z0-9]', initcap(__word), __word)), '')"


def _to_base64(call: CallExpression, args: Sequence[str]) -> str:
    def made(text: str) -> str:
        return base64_text(f"CAST({text} AS BINARY)")

    return guarded("TO_BASE64", call.args[0], args[0], 2, lambda text: f"4L * octet_length({text}) div 3", made, "characters")


def _encode(call: CallExpression, args: Sequence[str]) -> str:
    """Adds a size guard only for UTF-16: in the other character sets the result is no longer than the string's UTF-8."""

    def made(text: str) -> str:
        return f"encode({text}, {args[1]})"

    charset = literal_of(call, 1)
    if isinstance(charset, str) and not charset.upper().startswith("UTF-16"):
        return made(args[0])
    width = "2L" if isinstance(charset, str) else f"if(upper({args[1]}) LIKE 'UTF-16%', 2L, 0L)"
    return guarded("ENCODE", call.args[0], args[0], 2, lambda text: f"length({text}) * {width}", made)


def _url_encode(call: CallExpression, args: Sequence[str]) -> str:
    def made(text: str) -> str:
        return f"url_encode({text})"

    return guarded("URL_ENCODE", call.args[0], args[0], 3, lambda text: f"(0L + octet_length({made(text)}))", made, "characters")


def _translate(call: CallExpression, args: Sequence[str]) -> str:
    """Adds a size guard if some replacement has more bytes than its character; the size counts these characters."""
    old, new = literal_of(call, 1), literal_of(call, 2)
    # NULL as the searched characters replaces nothing, and NULL as the replacements removes them.
    known = [f"coalesce({text}, '')" if node.output_type.nullable else text for text, node in zip(args[1:], call.args[1:], strict=True)]
    growth = {"": 0}
    if isinstance(old, str) and isinstance(new, str):
        pairs = dict(reversed(list(zip(old, new, strict=False))))
        growth = {a: len(b.encode()) - len(a.encode()) for a, b in pairs.items() if len(b.encode()) > len(a.encode())}

    def made(text: str) -> str:
        return f"translate({text}, {known[0]}, {known[1]})"

    def size(text: str) -> str:
        if "" in growth:
            return f"CAST(octet_length({made(text)}) AS BIGINT)"
        parts = (
            f"(octet_length({text}) - octet_length(replace({text}, {quote_text(a)}, ''))) div {len(a.encode())} * {n}"
            for a, n in growth.items()
        )
        return f"(0L + octet_length({text}) + {' + '.join(parts)})"

    return guarded("TRANSLATE", call.args[0], args[0], 4, size, made) if growth else made(args[0])


def _from_base64(call: CallExpression, args: Sequence[str]) -> str:
    text = f"CAST({args[0]} AS STRING)" if isinstance(call.args[0].output_type, BinaryStringType) else args[0]
    pattern, message = quote_text("^[A-Za-z0-9+/]*={0,2}$"), quote_text("' is not Base64.")

    def decoded(x: str) -> str:  # Spark skips other characters
        failure = f"raise_error(concat({quote_text(chr(39))}, {x}, {message}))"
        return f"if({x} RLIKE {pattern}, make_valid_utf8(CAST(to_binary({x}, 'base64') AS STRING)), if({x} IS NULL, NULL, {failure}))"

    return bind(text, decoded)


_PARAMETER, _VALUE, _END_IN_QUOTES = r"[?&]\Q", r"\E=([^&]*)", r"\E\\E\Q"


def _parse_url(url: str, part: str, key: str | None = None) -> str:
    def group(number: int) -> str:
        return f"regexp_extract({url}, {quote_text(UrlParts.PATTERN)}, {number})"

    def after(number: int, separator: str) -> str:
        # regexp_extract returns the empty text for a group that is not there; one that is there begins with its separator.
        return f"if({group(number)} = '', NULL, substr({group(number)}, {len(separator) + 1}))"

    if key is None:
        parts = {
            "HOST": group(UrlParts.HOST),
            "PATH": group(UrlParts.PATH),
            "QUERY": after(UrlParts.QUERY, "?"),
            "REF": after(UrlParts.REF, "#"),
            "PROTOCOL": f"lower({group(UrlParts.PROTOCOL)})",
            "AUTHORITY": after(UrlParts.AUTHORITY, "//"),
            "FILE": f"({group(UrlParts.PATH)} || {group(UrlParts.QUERY)})",
            "USERINFO": f"if({group(UrlParts.USER)} = '', NULL, left({group(UrlParts.USER)}, length({group(UrlParts.USER)}) - 1))",
        }
    else:
        query, end = group(UrlParts.QUERY), quote_text(r"\E")
        quoted = f"replace({key}, {end}, {quote_text(_END_IN_QUOTES)})"
        pattern = f"{quote_text(_PARAMETER)} || {quoted} || {quote_text(_VALUE)}"
        parts = {"QUERY": f"if({query} RLIKE ({pattern}), regexp_extract({query}, {pattern}, 1), NULL)"}
    branches = " ".join(f"WHEN {quote_text(name)} THEN {value}" for name, value in parts.items())
    return f"if({url} RLIKE {quote_text(UrlParts.PATTERN)}, CASE {part} {branches} END, NULL)"


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.LIKE: like,
    fn.NOT_LIKE: negated(like, fn.LIKE),
    fn.SIMILAR: similar,
    fn.NOT_SIMILAR: negated(similar, fn.SIMILAR),
    fn.CHAR_LENGTH: sql("char_length"),
    fn.UPPER: sql("upper"),
    fn.LOWER: sql("lower"),
    fn.INITCAP: _initcap,
    fn.POSITION: _position,
    fn.INSTR: _instr,
    fn.LOCATE: _position,
    fn.TRIM: _trim,
    fn.LTRIM: _trim_side("LEADING"),
    fn.RTRIM: _trim_side("TRAILING"),
    fn.BTRIM: _trim_side("BOTH"),
    fn.REPEAT: _repeat,
    fn.OVERLAY: _overlay_of,
    fn.SUBSTRING: _substring,
    fn.LEFT: sql("left"),
    fn.RIGHT: sql("right"),
    fn.REPLACE: _replace,
    fn.TRANSLATE: _translate,
    fn.LPAD: template(_padded("lpad")),
    fn.RPAD: template(_padded("rpad")),
    fn.REVERSE: sql("reverse"),
    fn.ASCII: sql("ascii"),
    fn.CHR: template("if({0} < 0, '', if(pmod({0}, 256) = 0, '\\u0000', chr(pmod({0}, 256))))"),
    fn.FROM_BASE64: _from_base64,
    fn.TO_BASE64: _to_base64,
    fn.DECODE: sql("decode"),
    fn.ENCODE: _encode,
    fn.STARTSWITH: sql("startswith"),
    fn.ENDSWITH: sql("endswith"),
    fn.ELT: _elt,
    fn.PRINTF: through_kernel,
    fn.REGEXP: _pattern_function(template("({0} RLIKE {1} AND {1} <> '')"), "false"),
    fn.REGEXP_REPLACE: _pattern_function(_regexp_replace, _NULL_TEXT),
    fn.REGEXP_EXTRACT: _pattern_function(_of_group(_regexp_extract, 0, _NULL_TEXT), _NULL_TEXT),
    fn.REGEXP_EXTRACT_ALL: _pattern_function(_of_group(_regexp_extract_all, 1, _NULL_TEXTS), _NULL_TEXTS),
    fn.REGEXP_COUNT: _pattern_function(sql("regexp_count"), "CAST(NULL AS INT)"),
    fn.REGEXP_INSTR: _pattern_function(sql("regexp_instr"), "CAST(NULL AS INT)"),
    fn.REGEXP_SUBSTR: _pattern_function(template("if({0} RLIKE {1}, regexp_extract({0}, {1}, 0), NULL)"), _NULL_TEXT),
    fn.PARSE_URL: lambda call, args: bind(
        f"regexp_replace({args[0]}, {quote_text(UrlParts.AROUND)}, '')", lambda url: _parse_url(url, *args[1:])
    ),
    fn.URL_ENCODE: _url_encode,
    fn.URL_DECODE: sql("try_url_decode"),
    fn.IS_ALPHA: _character_class("^[\\p{L}]+$"),
    fn.IS_DECIMAL: _character_class("^\\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\\s*$"),
    fn.IS_DIGIT: _character_class("^[0-9]+$"),
}
