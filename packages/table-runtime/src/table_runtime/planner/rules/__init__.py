"""Optimizer rules of the embedded engine; they run after the shared ones."""
