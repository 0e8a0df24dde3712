"""Decorrelation: removes the outer references of subqueries, and joins the values of subqueries to the outer rows."""
