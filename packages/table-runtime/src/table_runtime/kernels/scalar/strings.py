"""String functions on single values. Positions count code points from 1; None is NULL."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import quote_plus, unquote_to_bytes

from table_common.exceptions import TableRuntimeException
from table_common.functions import UrlParts
from table_runtime.casts.from_text import parse_double
from table_runtime.columns.value_size import LONG_TEXT, check_value_size, in_blocks, max_value_size
from table_runtime.kernels.support.java_matching import java_pattern


def substring(text: str, start: int, length: int | None = None) -> str | None:
    """Returns the text from ``start``, counted from the end if negative; None for a negative length."""
    if length is not None and length < 0:
        return None
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    if begin < 0:
        return ""
    return text[begin:] if length is None else text[begin : begin + length]


def position(searched: str, text: str, start: int = 1) -> int:
    """Returns the position of the first occurrence at or after ``start``; 0 if there is none, 1 for an empty text."""
    if start <= 0:
        return 0
    return text.find(searched, start - 1) + 1 if searched else 1


def instr(text: str, searched: str, start: int = 1, nth: int = 1) -> int:
    """Returns the position of the nth occurrence, 0 if there is none.

    A negative start searches backwards: the occurrence ends at or before that position, counted from the end of the text.
    An empty text occurs only at the beginning of the search.
    """
    if nth <= 0:
        raise TableRuntimeException(f"INSTR takes a positive number of the occurrence, but got {nth}.")
    if start == 0:
        return 0
    if not searched:
        return 1 if start > 0 else len(text) + 1
    if start < 0:
        reversed_position = instr(text[::-1], searched[::-1], -start, nth)
        return len(text) + 2 - reversed_position - len(searched) if reversed_position else 0
    index = start - 2
    for _ in range(nth):
        index = text.find(searched, index + 1)
        if index < 0:
            return 0
    return index + 1


def left(text: str, length: int) -> str:
    """Returns the first ``length`` code points."""
    return text[: max(length, 0)]


def right(text: str, length: int) -> str:
    """Returns the last ``length`` code points."""
    return text[-length:] if length > 0 else ""


def overlay(text: str, replacement: str, start: int, length: int | None = None) -> str:
    """Replaces ``length`` code points from ``start``; a start outside of the text returns the text unchanged."""
    if start <= 0 or start > len(text):
        return text
    # Differs from Flink: OVERLAY(… FOR 0) inserts, as in the SQL standard; Flink drops the rest of the text.
    end = start - 1 + (len(replacement) if length is None else length)
    check_value_size("OVERLAY", len(text) + len(replacement))
    return text[: start - 1] + replacement + text[max(end, 0) :]


def translate(text: str, searched: str, replacements: str) -> str:
    """Replaces characters one by one. Characters without a counterpart are removed; the first occurrence in ``searched`` wins."""
    table: dict[int, str | None] = {}
    for index, character in enumerate(searched):
        table.setdefault(ord(character), replacements[index] if index < len(replacements) else None)
    return in_blocks("TRANSLATE", text, lambda block: block.translate(table))


def replace(text: str, searched: str, replacement: str) -> str:
    """Replaces all occurrences of a text."""
    growth = len(replacement) - len(searched)
    if growth > 0 and len(text) * len(replacement) > max_value_size():
        check_value_size("REPLACE", len(text) + text.count(searched) * growth)
    return text.replace(searched, replacement)


def upper(text: str) -> str:
    """Returns the text in upper case; one letter may become several."""
    return in_blocks("UPPER", text, str.upper)


def lpad(text: str, length: int, padding: str) -> str | None:
    """Pads on the left or truncates on the right; None for a negative length or empty padding."""
    fill = _padding(text, length, padding)
    return None if fill is None else fill + text[:length]


def rpad(text: str, length: int, padding: str) -> str | None:
    """Pads or truncates on the right; None for a negative length or empty padding."""
    fill = _padding(text, length, padding)
    return None if fill is None else text[:length] + fill


def _padding(text: str, length: int, padding: str) -> str | None:
    if length < 0 or not padding:
        return None
    # Differs from Flink: LPAD and RPAD count code points. Flink counts a character beyond U+FFFF as two and may split it.
    missing = max(length - len(text), 0)
    check_value_size("The padded text", length)
    return (padding * (missing // len(padding) + 1))[:missing]


def initcap(text: str) -> str:
    """Returns the text with the first letter of each word in upper case, the others in lower case.

    Words consist of ASCII letters and digits.
    """
    return re.sub(r"[a-zA-Z0-9]+", lambda match: match[0].capitalize(), text)


def ascii_code(text: str) -> int:
    """Returns the code point of the first character; 0 for an empty text."""
    # Differs from Flink: ASCII('é') is 233; Flink returns the first byte of UTF-8 as a signed number, -61.
    return ord(text[0]) if text else 0


def character(code: int) -> str:
    """Returns the character of the lowest eight bits; an empty text for a negative number."""
    return chr(code & 0xFF) if code >= 0 else ""


def from_base64(encoded: str | bytes) -> str:
    """Returns the UTF-8 text that is encoded as Base64."""
    unfinished = len(encoded) % 4
    padding = b"=" * (4 - unfinished) if unfinished > 1 else b""  # may be missing at the end, as in Java
    try:
        data = encoded.encode() if isinstance(encoded, str) else encoded
        return base64.b64decode(data + padding, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError) as error:
        raise TableRuntimeException(f"{encoded!r} is not Base64.", hint="Base64 has letters, digits, + and /, and ends with =.") from error


def to_base64(value: str | bytes) -> str:
    """Returns the bytes, or the UTF-8 bytes of the text, as Base64."""
    data = value.encode() if isinstance(value, str) else value
    check_value_size("TO_BASE64", 4 * len(data) // 3)
    return base64.b64encode(data).decode("ascii")


def _codec(charset: str) -> str:
    name = charset.upper()
    codecs = {
        "US-ASCII": "ascii",
        "ISO-8859-1": "latin-1",
        "UTF-8": "utf-8",
        "UTF-16BE": "utf-16-be",
        "UTF-16LE": "utf-16-le",
        "UTF-16": "utf-16",
    }
    if name not in codecs:
        raise TableRuntimeException(f"The character set '{charset}' is not supported. Accepted: {', '.join(sorted(codecs))}.")
    return codecs[name]


def decode(value: bytes, charset: str) -> str:
    """Decodes bytes to text; UTF-16 without a byte order mark is big-endian."""
    codec = _codec(charset)
    if codec == "utf-16" and value[:2] not in (b"\xfe\xff", b"\xff\xfe"):
        codec = "utf-16-be"
    return value.decode(codec, "replace")


def encode(text: str, charset: str) -> bytes:
    """Encodes text to bytes; UTF-16 is big-endian with a byte order mark, except for an empty text."""
    codec = _codec(charset)
    if codec == "utf-16":
        return b"\xfe\xff" + text.encode("utf-16-be") if text else b""
    return text.encode(codec, "replace")


def split(text: str, delimiter: str) -> list[str]:
    """Returns the parts between delimiters; an empty delimiter returns the characters, an empty text no parts."""
    if not text:
        return []
    return text.split(delimiter) if delimiter else list(text)


def separator_of(delimiter: str | int) -> str | None:
    """Returns the delimiter of SPLIT_INDEX as text; None if it is a code outside of 1 to 255."""
    if isinstance(delimiter, str):
        return delimiter
    return chr(delimiter) if 0 < delimiter <= 255 else None


def split_index(text: str, delimiter: str | int, index: int) -> str | None:
    """Returns part number ``index`` (from 0); None if it does not exist, or if the delimiter is a code outside of 1 to 255."""
    separator = separator_of(delimiter)
    if separator is None or index < 0 or not text:
        return None
    parts = text.split(separator) if separator else text.split()
    return parts[index] if index < len(parts) else None


def str_to_map(text: str, pair_delimiter: str = ",", key_delimiter: str = "=") -> list[tuple[str, str | None]] | None:
    """Parses pairs to a map; delimiters are regular expressions, and the last value of a key wins."""
    if not text:
        return []
    pairs, keys = java_pattern(pair_delimiter), java_pattern(key_delimiter)
    if pairs is None or keys is None:
        raise TableRuntimeException(f"'{pair_delimiter if pairs is None else key_delimiter}' is not a regular expression.")
    result: dict[str, str | None] = {}
    has_empty_part = False
    for pair in pairs.parts(text):
        if not pair:
            has_empty_part = True  # recorded if another part follows; empty parts at the end are ignored
            continue
        if has_empty_part:
            result[""], has_empty_part = None, False
        key, *rest = keys.split(pair, 2)
        result[key] = rest[0] if rest else None
    return list(result.items())


def regexp(text: str, pattern: str) -> bool:
    """Returns whether the regular expression matches anywhere; false for an empty or invalid regular expression."""
    compiled = java_pattern(pattern)
    return bool(pattern) and compiled is not None and compiled.search(text) is not None


def regexp_replace(text: str, pattern: str, replacement: str) -> str | None:
    """Replaces every match by the literal replacement: ``$1`` has no special meaning."""
    compiled = java_pattern(pattern)
    if compiled is None:
        return None
    if len(replacement) > 1 and (len(text) + 1) * len(replacement) > max_value_size():
        size = len(text)
        for match in compiled.finditer(text):
            size += len(replacement) - (match.end() - match.start())
            if size - (len(text) - match.end()) > max_value_size():  # even if all further matches were removed
                break
        check_value_size("REGEXP_REPLACE", size)
    return compiled.sub(replacement, text)


def regexp_extract(text: str, pattern: str, group: int = 0) -> str | None:
    """Returns a group of the first match; None without a match or for an invalid pattern or group."""
    compiled = java_pattern(pattern)
    return compiled.group(text, group) if compiled is not None and compiled.check_group(group) else None


def regexp_extract_all(text: str, pattern: str, group: int = 1) -> list[str | None] | None:
    """Returns a group of every match; None for an invalid pattern or group."""
    compiled = java_pattern(pattern)
    if compiled is None or not compiled.check_group(group):
        return None
    return [match[group] for match in compiled.finditer(text)]


def regexp_count(text: str, pattern: str) -> int | None:
    """Returns the number of matches; None for an invalid pattern."""
    compiled = java_pattern(pattern)
    return None if compiled is None else sum(1 for _ in compiled.finditer(text))


def regexp_instr(text: str, pattern: str) -> int | None:
    """Returns the position of the first match; 0 if there is none. As in Java, a character beyond U+FFFF counts twice."""
    compiled = java_pattern(pattern)
    if compiled is None:
        return None
    match = compiled.search(text)
    if match is None:
        return 0
    start = match.start()
    return start + 1 if text.isascii() else start + 1 + sum(letter > "\uffff" for letter in text[:start])


def regexp_substr(text: str, pattern: str) -> str | None:
    """Returns the first match, or None."""
    return regexp_extract(text, pattern, 0)


def parse_url(url: str, part: str, key: str | None = None) -> str | None:
    """Returns a part of a URL (HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO), or with a key a parameter of the query.

    None for a part that the URL has not, and for what ``java.net.URL`` does not read.
    """
    match = re.match(UrlParts.PATTERN, re.sub(UrlParts.AROUND, "", url))
    if match is None:
        return None
    query = match[UrlParts.QUERY]
    if key is not None:
        found = re.search(rf"[?&]{re.escape(key)}=([^&]*)", query) if part == "QUERY" and query else None
        return found[1] if found else None
    match part:
        case "HOST":
            return match[UrlParts.HOST] or ""
        case "PATH":
            return match[UrlParts.PATH]
        case "QUERY":
            return query and query[1:]
        case "REF":
            return match[UrlParts.REF] and match[UrlParts.REF][1:]
        case "PROTOCOL":
            return match[UrlParts.PROTOCOL].lower()
        case "AUTHORITY":
            return match[UrlParts.AUTHORITY] and match[UrlParts.AUTHORITY][2:]
        case "FILE":
            return match[UrlParts.PATH] + (query or "")
        case "USERINFO":
            return match[UrlParts.USER] and match[UrlParts.USER][:-1]
        case _:
            return None


def url_encode(text: str) -> str:
    """Returns the text in form encoding: a blank becomes ``+``."""
    if len(text) > LONG_TEXT:
        return in_blocks("URL_ENCODE", text, url_encode)
    return quote_plus(text, safe="*").replace("~", "%7E")


def url_decode(text: str) -> str | None:
    """Decodes form encoding; None for malformed text."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return None
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")


def is_alpha(text: str | None) -> bool:
    """Returns whether the text is not empty and has letters only."""
    return text is not None and text.isalpha()


def is_digit(text: str | None) -> bool:
    """Returns whether the text is not empty and has digits only."""
    return text is not None and text.isdecimal()


def is_decimal(text: str | None) -> bool:
    """Returns whether the text is a number."""
    return text is not None and parse_double(text.strip()) is not None
