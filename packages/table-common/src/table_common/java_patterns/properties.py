"""What ``\\p{…}`` means to Java: the characters of a category, a script, a block, or one of Java's own tests of a character."""

from __future__ import annotations

from table_common.java_patterns.character_sets import ANY, CharacterSet, Complement, Intersection, Property, Ranges, Union
from table_common.java_patterns.property_names import BLOCKS, SCRIPTS

DIGITS = Ranges(((48, 57),))
WORD = Ranges(((48, 57), (65, 90), (95, 95), (97, 122)))
SPACES = Ranges(((9, 13), (32, 32)))
UNICODE_DIGITS = Property(r"\p{Nd}")
UNICODE_WORD = Property(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]")
UNICODE_SPACES = Property(r"[\p{Z}\t-\r\x85]")

_CATEGORIES = [
    "Cn",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Me",
    "Mc",
    "Nd",
    "Nl",
    "No",
    "Zs",
    "Zl",
    "Zp",
    "Cc",
    "Cf",
    "Co",
    "Cs",
    "Pd",
    "Ps",
    "Pe",
    "Pc",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Pi",
    "Pf",
    "L",
    "M",
    "N",
    "Z",
    "C",
    "P",
    "S",
]
_CASED = Property(r"[\p{Lu}\p{Ll}\p{Lt}]")
_ANY_CASE = Property(r"[\p{Lowercase}\p{Uppercase}\p{Lt}]")
_ASCII_LETTERS = Ranges(((65, 90), (97, 122)))
_ASCII = {
    "ASCII": Ranges(((0, 127),)),
    "Alnum": Ranges(((48, 57), (65, 90), (97, 122))),
    "Alpha": _ASCII_LETTERS,
    "Blank": Ranges(((9, 9), (32, 32))),
    "Cntrl": Ranges(((0, 31), (127, 127))),
    "Digit": DIGITS,
    "Graph": Ranges(((33, 126),)),
    "Lower": Ranges(((97, 122),)),
    "Print": Ranges(((32, 126),)),
    "Punct": Ranges(((33, 47), (58, 64), (91, 96), (123, 126))),
    "Space": SPACES,
    "Upper": Ranges(((65, 90),)),
    "XDigit": Ranges(((48, 57), (65, 70), (97, 102))),
    "L1": Ranges(((0, 255),)),
    "all": ANY,
    "LC": _CASED,
    "LD": Property(r"[\p{L}\p{Nd}]"),
}
_CONTROLS = Ranges(((0, 31), (127, 159)))
_IGNORABLE = Union(Ranges(((0, 8), (14, 27), (127, 159))), Property(r"\p{Cf}"))
_ALPHABETIC = Property(r"\p{Alphabetic}")
_LOWERCASE = Property(r"\p{Lowercase}")
_UPPERCASE = Property(r"\p{Uppercase}")
_TITLECASE = Property(r"\p{Lt}")
_JAVA = {
    "LowerCase": _LOWERCASE,
    "UpperCase": _UPPERCASE,
    "Alphabetic": _ALPHABETIC,
    "Ideographic": Property(r"\p{Ideographic}"),
    "TitleCase": _TITLECASE,
    "Digit": UNICODE_DIGITS,
    "Defined": Property(r"\P{Cn}"),
    "Letter": Property(r"\p{L}"),
    "LetterOrDigit": Property(r"[\p{L}\p{Nd}]"),
    "JavaIdentifierStart": Property(r"[\p{L}\p{Nl}\p{Sc}\p{Pc}]"),
    "JavaIdentifierPart": Union(Property(r"[\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mc}\p{Mn}]"), _IGNORABLE),
    "UnicodeIdentifierStart": Property(r"\p{ID_Start}"),
    "UnicodeIdentifierPart": Union(Property(r"\p{ID_Continue}"), _IGNORABLE),
    "IdentifierIgnorable": _IGNORABLE,
    "SpaceChar": Property(r"\p{Z}"),
    "Whitespace": Union(
        Intersection(Property(r"\p{Z}"), Complement(Ranges(((0xA0, 0xA0), (0x2007, 0x2007), (0x202F, 0x202F))))),
        Ranges(((9, 13), (28, 31))),
    ),
    "ISOControl": _CONTROLS,
    "Mirrored": Property(r"\p{Bidi_Mirrored}"),
}
_BLANK = Union(Property(r"\p{Zs}"), Ranges(((9, 9),)))
_GRAPH = Complement(Property(r"[\p{Z}\p{Cc}\p{Cs}\p{Cn}]"))
_HEX_DIGITS = Union(UNICODE_DIGITS, Ranges(((48, 57), (65, 70), (97, 102), (0xFF10, 0xFF19), (0xFF21, 0xFF26), (0xFF41, 0xFF46))))
_NO_CHARACTERS = Ranges(((0xFDD0, 0xFDEF), *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000))))
_POSIX = {
    "ALPHA": _ALPHABETIC,
    "LOWER": _LOWERCASE,
    "UPPER": _UPPERCASE,
    "SPACE": UNICODE_SPACES,
    "PUNCT": Property(r"\p{P}"),
    "XDIGIT": _HEX_DIGITS,
    "ALNUM": Union(_ALPHABETIC, UNICODE_DIGITS),
    "CNTRL": _CONTROLS,
    "DIGIT": UNICODE_DIGITS,
    "BLANK": _BLANK,
    "GRAPH": _GRAPH,
    "PRINT": Intersection(Union(_GRAPH, _BLANK), Complement(_CONTROLS)),
}
_BINARY = {
    "ALPHABETIC": _ALPHABETIC,
    "ASSIGNED": Property(r"\P{Cn}"),
    "CONTROL": _CONTROLS,
    "HEXDIGIT": _HEX_DIGITS,
    "HEX_DIGIT": _HEX_DIGITS,
    "IDEOGRAPHIC": Property(r"\p{Ideographic}"),
    "JOINCONTROL": Ranges(((0x200C, 0x200D),)),
    "JOIN_CONTROL": Ranges(((0x200C, 0x200D),)),
    "LETTER": Property(r"\p{L}"),
    "LOWERCASE": _LOWERCASE,
    "NONCHARACTERCODEPOINT": _NO_CHARACTERS,
    "NONCHARACTER_CODE_POINT": _NO_CHARACTERS,
    "TITLECASE": _TITLECASE,
    "PUNCTUATION": Property(r"\p{P}"),
    "UPPERCASE": _UPPERCASE,
    "WHITESPACE": UNICODE_SPACES,
    "WHITE_SPACE": UNICODE_SPACES,
    "WORD": UNICODE_WORD,
}


def find_property(name: str, ignores_case: bool, unicode_classes: bool) -> CharacterSet | None:
    """Returns the characters that ``\\p{name}`` finds; None if Java 17 does not know the name.

    Args:
        name: what is between the braces.
        ignores_case: whether ``(?i)`` is set there.
        unicode_classes: whether ``(?U)`` is set there.
    """
    key, equals, value = name.partition("=")
    if equals:
        match key.lower():
            case "sc" | "script":
                return _script(value)
            case "blk" | "block":
                return _block(value)
            case "gc" | "general_category":
                return _property(value, ignores_case)
        return None
    if name.startswith("In"):
        return _block(name[2:])
    if name.startswith("Is"):
        short = name[2:]
        return _unicode(short.upper(), ignores_case) or _property(short, ignores_case) or _script(short)
    return (_posix(name.upper(), ignores_case) if unicode_classes else None) or _property(name, ignores_case)


def _posix(name: str, ignores_case: bool) -> CharacterSet | None:
    return _ANY_CASE if ignores_case and name in ("LOWER", "UPPER") else _POSIX.get(name)


def _unicode(name: str, ignores_case: bool) -> CharacterSet | None:
    if ignores_case and name in ("LOWERCASE", "UPPERCASE", "TITLECASE"):
        return _ANY_CASE
    return _BINARY.get(name) or _posix(name, ignores_case)


def _property(name: str, ignores_case: bool) -> CharacterSet | None:
    if ignores_case:
        if name in ("Lu", "Ll", "Lt"):
            return _CASED
        if name in ("Lower", "Upper"):
            return _ASCII_LETTERS
        if name in ("javaLowerCase", "javaUpperCase", "javaTitleCase"):
            return _ANY_CASE
    if name in _CATEGORIES:
        return Property(rf"\p{{gc={name}}}")
    return _JAVA.get(name[4:]) if name.startswith("java") else _ASCII.get(name)


def _script(name: str) -> CharacterSet | None:
    script = SCRIPTS.get(name.upper())
    return None if script is None else Property(rf"\p{{Script={script}}}")


def _block(name: str) -> CharacterSet | None:
    pair = BLOCKS.get(name.upper().translate({ord(sign): None for sign in " -_"}))
    return None if pair is None else Ranges((pair,))
