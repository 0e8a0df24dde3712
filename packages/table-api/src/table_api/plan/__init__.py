"""Rewrites of the logical plan that no engine has to repeat, and the plan as text."""
