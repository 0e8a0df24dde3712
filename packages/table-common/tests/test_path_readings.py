"""A text is allowed only if each path that it can mean is."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_common.path_readings import decoded_path, is_allowed_path, is_allowed_text, is_url


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """The folder of ``in``, which is allowed, and ``out``, to which ``in/link`` leads."""
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    return tmp_path


@pytest.mark.parametrize("end", ["", "/x.csv", "/*.csv", "/{a,b}.csv", "/a%20b.csv", "/sub/../x", "/100%25/x", "/k=a%2Fb/x", "/x,y"])
@pytest.mark.parametrize("scheme", ["", "file:", "file://", "file://localhost", "FILE://"])
def test_texts_below_the_folder_are_allowed(folders: Path, scheme: str, end: str) -> None:
    assert is_allowed_text(f"{scheme}{folders}/in{end}", (f"{folders}/in",))


@pytest.mark.parametrize(
    "end",
    [
        "/%2e%2e/out",
        "/.%2E/out",
        "/%252e%252e/out",
        "/..%2fout",
        "/{../out}",
        "/{x,../out}/t",
        "/{y,{x,../out}}",
        "/{.,x}{.,x}/out",
        "/*/../../out",
        "/s?b/../../out",
        "/[s]ub/../x",
        "/link/t.csv",
        "/l%69nk/t.csv",
        "/\0",
        "2/x",
    ],
)
@pytest.mark.parametrize("scheme", ["", "file:", "file://", "file://localhost"])
def test_texts_that_can_lead_out_are_not_allowed(folders: Path, scheme: str, end: str) -> None:
    assert not is_allowed_text(f"{scheme}{folders}/in{end}", (f"{folders}/in",))


@pytest.mark.parametrize("text", ["cache::file:///in/x", "local:///in/x", "file://server/in/x", "zip://a::file:///in/x"])
def test_other_file_systems_are_urls(text: str) -> None:
    assert not is_allowed_text(text, ("/in",))


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("postgresql://db/shop", True),
        ("jdbc:postgresql://db/shop", True),
        ("postgres://db/shop?sslmode=require&application_name=x", True),
        ("postgresql://db/shop?host=evil", False),
        ("postgresql://db/shop?%68ost=evil", False),
        ("postgresql://db/shop?HOSTADDR=1.2.3.4", False),
        ("postgresql://db/shop?sslmode=disable&port=1", False),
        ("postgresql://db/shop?dbname=other", False),
        ("postgresql://db/shop?service=s", False),
        ("postgresql://db/shop?passfile=/etc/passwd", False),
        ("jdbc:postgresql://db/shop?socketFactory=x", False),
        ("postgresql://db,evil/shop", False),
        ("postgresql://db@evil/shop", False),
        ("postgresql://db/shopping", False),
    ],
)
def test_parameters_of_a_database_lead_nowhere_else(url: str, is_allowed: bool) -> None:
    assert is_allowed_text(url, ("postgresql://db/shop",)) is is_allowed


def test_parameters_that_are_allowed_with_the_url_stay() -> None:
    allowed = ("postgresql:///shop?host=/run/pg",)
    assert is_allowed_text("postgresql:///shop?host=/run/pg&sslmode=disable", allowed)
    assert not is_allowed_text("postgresql:///shop?host=/run/pg&host=evil", allowed)
    assert not is_allowed_text("postgresql:///shop?host=/run/other", allowed)


def test_found_names_are_not_decoded(folders: Path) -> None:
    assert is_allowed_path(folders / "in" / "%2e%2e", (f"{folders}/in",))
    assert not is_allowed_path(folders / "in" / "link" / "x", (f"{folders}/in",))


def test_a_file_url_is_decoded_and_a_path_is_not() -> None:
    assert decoded_path("file:///a%20b") == Path("/a b")
    assert decoded_path("/a%20b") == Path("/a%20b")
    with pytest.raises(ValueError, match="s3"):
        decoded_path("s3://bucket/x")


def test_only_other_schemes_are_urls() -> None:
    assert is_url("s3://b/x")
    assert not is_url("file:///x")
    assert not is_url("/x")
