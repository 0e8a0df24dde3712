"""CSV files in blocks of whole records, wherever the bytes that are read at a time end."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.formats.csv import blocks as module
from table_runtime.formats.csv.blocks import count_lines, csv_blocks, is_plain, opened
from table_runtime.formats.csv.records import CsvDialect, read_records

TEXT = 'a,b\n"c\n,d",e\r\nf,"g""h"\n\n"i' + "x" * 40 + '\n",j\nk,l'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.csv"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 1000])
def test_blocks_end_with_a_record_whatever_is_read_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", size)
    path.write_bytes(TEXT.encode())
    blocks = list(csv_blocks(path, CsvDialect()))
    assert b"".join(block.data for block in blocks).decode() == TEXT
    found = [record.fields for block in blocks for record in read_records(block.data.decode(), CsvDialect(), final=True)]
    assert found == [record.fields for record in read_records(TEXT, CsvDialect(), final=True)]
    assert [block.lines_before for block in blocks] == [
        count_lines(b"".join(before.data for before in blocks[:number])) for number in range(len(blocks))
    ]


def test_random_texts_are_cut_between_their_records(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for _ in range(300):
        monkeypatch.setattr(module, "BLOCK_BYTES", random_.randrange(1, 9))
        dialect = random_.choice([CsvDialect(), CsvDialect(quote=None), CsvDialect(escape="\\"), CsvDialect(comments=True)])
        text = "".join(random_.choice('aé",\n\r\\# ') for _ in range(random_.randrange(30)))
        path.write_bytes(text.encode())
        blocks = [block.data.decode() for block in csv_blocks(path, dialect)]
        found = [record for block in blocks for record in read_records(block, dialect, final=True)]
        whole = list(read_records(text, dialect, final=True))
        assert [(r.fields, r.problem) for r in found] == [(r.fields, r.problem) for r in whole], (text, dialect)


def test_an_empty_file_has_no_blocks(path: Path) -> None:
    path.write_bytes(b"")
    assert list(csv_blocks(path, CsvDialect())) == []


def test_a_byte_order_mark_is_no_text(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfa,b\n")
    assert [block.data for block in csv_blocks(path, CsvDialect())] == [b"a,b\n"]


def test_a_compressed_file_is_read_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "f.csv.gz"
    path.write_bytes(gzip.compress(b"a\nb\n"))
    assert [block.data for block in csv_blocks(path, CsvDialect())] == [b"a\nb\n"]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_ranges_have_each_record_once(path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", size)
    data = b"aa,1\nb,2\n\r\ncccc,3\nd,4"
    path.write_bytes(data)
    for first in range(len(data) + 1):
        for second in range(first, len(data) + 1):
            bounds = [(0, first), (first, second), (second, len(data))]
            parts = [b"".join(block.data for block in csv_blocks(path, CsvDialect(), bound)) for bound in bounds]
            assert b"".join(parts) == data, (first, second, parts)
            assert all(not part or part.endswith(b"\n") for part in parts[:2] if data.index(part) + len(part) < len(data))


def test_a_file_that_cannot_be_read_is_named(path: Path) -> None:
    with pytest.raises(TableRuntimeException, match=f"The CSV file '{path}' cannot be read"):
        list(csv_blocks(path, CsvDialect()))


@pytest.mark.parametrize(
    ("data", "dialect", "expected"),
    [
        (b"a,b\n", CsvDialect(), True),
        (b'"a","b"\n"c",d\n', CsvDialect(), True),
        (b'"a""b",c\n', CsvDialect(), True),
        (b'a"b,c\n', CsvDialect(), False),
        (b'"a" ,b\n', CsvDialect(), False),
        (b'"a\n', CsvDialect(), False),
        (b'a"b\n', CsvDialect(quote=None), True),
        (b"a\\b\n", CsvDialect(escape="\\"), False),
        (b"a#b\n", CsvDialect(comments=True), False),
        ("a§b\n".encode(), CsvDialect(delimiter="§"), False),
    ],
)
def test_a_block_is_plain_if_arrow_reads_it_the_same(data: bytes, dialect: CsvDialect, expected: bool) -> None:
    assert is_plain(data, dialect) is expected


@pytest.mark.parametrize(("data", "count"), [(b"", 0), (b"a\r\nb\rc\n", 3), (b"\n\r", 2), (b"\r\r\n", 2), (b"a", 0)])
def test_a_line_end_of_two_characters_counts_once(data: bytes, count: int) -> None:
    assert count_lines(data) == count


def test_a_byte_order_mark_is_left_out_only_at_the_beginning_of_a_recoded_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("\ufeffab\ufeffcd".encode("utf-16-le"))
    with opened(path, "utf-16-le") as file:
        assert b"".join(iter(lambda: file.read(2), b"")).decode() == "ab\ufeffcd"
