"""Decorrelation: subqueries become joins."""
