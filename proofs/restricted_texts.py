"""Ways to write modules and servers that are not allowed, for ``restricted_places.py``."""

from __future__ import annotations

__all__ = ["HTTP", "JDBC", "KAFKA", "MODULES"]

MODULES = (
    ("other module", "canary_mod:{}"),
    ("dotted", "canary_mod.{}"),
    ("imported function", "allowed_mod:imported_{}"),
    ("imported module", "allowed_mod:canary_held.{}"),
    ("standard library", "os:listdir"),
    ("imported data", "allowed_mod:imported_data"),
    ("inherited", "allowed_mod:Inheriting.{}"),
    ("instance", "allowed_mod:instance.{}"),
    ("private", "allowed_mod:__builtins__.open"),
    ("globals", "allowed_mod:own.__globals__"),
    ("star import", "allowed_mod:starred_{}"),
    ("prefix", "allowed_modx:{}"),
    ("child by import", "allowed_mod.canary_mod:{}"),
)
JDBC = (
    ("other host", "postgresql://127.0.0.1:<port>/shop"),
    ("query host", "postgresql://db.invalid/shop?host=127.0.0.1&port=<port>"),
    ("query address", "postgresql://db.invalid/shop?hostaddr=127.0.0.1&port=<port>"),
    ("encoded key", "postgresql://db.invalid/shop?%68ost=127.0.0.1&po%72t=<port>"),
    ("after others", "postgresql://db.invalid/shop?sslmode=disable&host=127.0.0.1&port=<port>"),
    ("two hosts", "postgresql://db.invalid,127.0.0.1:<port>/shop"),
    ("user", "postgresql://db.invalid:x@127.0.0.1:<port>/shop"),
    ("user with slash", "postgresql://db.invalid%2Fshop@127.0.0.1:<port>/shop"),
    ("jdbc", "jdbc:postgresql://db.invalid/shop?host=127.0.0.1&port=<port>"),
    ("jdbc other", "jdbc:postgresql://127.0.0.1:<port>/shop"),
    ("socket", "postgresql:///shop?host=<out>"),
    ("service file", "postgresql://db.invalid/shop?service=s&servicefile=<out>/service"),
    ("certificate", "postgresql://127.0.0.1:<port>/shop?sslrootcert=<out>/t.csv"),
    ("other database", "postgresql://db.invalid/shop?dbname=host%3D127.0.0.1%20port%3D<port>"),
    ("dots", "postgresql://db.invalid/shop/../../127.0.0.1:<port>"),
    ("upper case", "POSTGRESQL://127.0.0.1:<port>/shop"),
    ("plus", "postgresql://db.invalid/shop?host=127.0.0.1+&port=<port>"),
)
KAFKA = (
    ("servers", "'properties.bootstrap.servers' = '127.0.0.1:<port>'"),
    ("second", "'properties.bootstrap.servers' = 'broker.invalid:9092,127.0.0.1:<port>'"),
    ("scheme", "'properties.bootstrap.servers' = 'PLAINTEXT://127.0.0.1:<port>'"),
    ("alias", "'properties.bootstrap.servers' = 'broker.invalid:9092', 'properties.metadata.broker.list' = '127.0.0.1:<port>'"),
    ("plugin", "'properties.bootstrap.servers' = 'broker.invalid:9092', 'properties.plugin.library.paths' = '<out>/x'"),
    ("authority", "'properties.bootstrap.servers' = 'broker.invalid:9092', 'properties.ssl.ca.location' = '<out>/t.csv'"),
    ("blank", "'properties.bootstrap.servers' = ' 127.0.0.1:<port>'"),
    ("empty first", "'properties.bootstrap.servers' = ',127.0.0.1:<port>'"),
)
HTTP = (
    ("other", "http://127.0.0.1:<port>/a"),
    ("user", "http://registry.invalid@127.0.0.1:<port>/a"),
    ("dots", "http://registry.invalid/../127.0.0.1:<port>"),
    ("chained", "http://registry.invalid/::http://127.0.0.1:<port>/a"),
    ("backslash", "http://127.0.0.1:<port>\\\\@registry.invalid/"),
    ("upper case", "HTTP://127.0.0.1:<port>/a"),
    ("cached", "simplecache::http://127.0.0.1:<port>/a"),
    ("local", "local://<out>/t.csv"),
    ("cached file", "filecache::file://<out>/t.csv"),
    ("archive", "zip://t.csv::file://<out>/t.zip"),
)
