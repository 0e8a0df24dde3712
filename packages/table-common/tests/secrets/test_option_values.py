"""Secrets inside of values of options: user info of URLs in all their forms, and parameters after any sign."""

from __future__ import annotations

import pytest

from table_common.secrets import mask_text, mask_value

S = "hunter2Zq"


@pytest.mark.parametrize(
    "value",
    [
        f"jdbc:oracle:thin:u/{S}@h:1:x",
        f'jdbc:oracle:oci:u/"a@{S}"@//h:1/x',
        f"jdbc:oracle:thin:u/p@{S}@tns",
        f"https://h/c#access_token={S}",
        f"h|password={S}",
        f"driver=x;pwd={{a;{S}}};k=v",
        f"HTTPS://u:a%20b {S}@h/x",
        f"https://u:a/b#{S}@h/x",
        f"https://u:p@{S}@h/x",
        f"http://h:8080 https://u:{S}@h/x",
        f"kafka://h:9092,kafka://u:{S}@h",
        f"https://{S}@h/x",
        f"https://12:34{S}@h",
        f"u:{S}@h:5432/d",
        f"u:{S}@h",
        f"u:{S}@tcp(h:3306)/d",
        f"u:{S}@h1:1,h2:2/d",
    ],
)
def test_secret_in_a_value_is_masked(value: str) -> None:
    assert S not in mask_value(value)


@pytest.mark.parametrize(
    "value",
    [
        "https://h:8080/a@b",
        "http://h:8080 or write to a@b",
        "abfss://container@account.dfs.core.windows.net/x",
        "jdbc:oracle:thin:@//h:1521/x",
        "jdbc:oracle:thin:/@tns",
        "image:tag@sha256:0123abcd",
        "mailto:a@b.c",
        "git@github.com:x/y",
        "C:/dir/a@b",
        "s3://bucket/a=b/key=1",
        "a@b.c",
        "https://${env:USER}:${env:PASSWORD}@h",
        "${env:USER}:${env:PASSWORD}@h:1/d",
        "http://[::1]:80/x@y",
    ],
)
def test_value_without_secrets_is_shown_as_it_is(value: str) -> None:
    assert mask_value(value) == value


def test_rest_of_an_oracle_url_is_shown() -> None:
    assert mask_value(f"jdbc:oracle:thin:u/{S}@h:1:x") == "jdbc:oracle:thin:******@h:1:x"


@pytest.mark.parametrize("part", ["a://b:", "a://", "http://h:p ", "x-auth", "jdbc:oracle:thin:a/"])
def test_long_text_is_searched_in_linear_time(part: str) -> None:
    assert S not in mask_text("WITH ('u' = '" + part * 40_000 + f"' 'password' = '{S}')")[0]
