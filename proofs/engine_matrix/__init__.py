"""The matrix of built-in functions, casts and edge values that ``function_matrix.py`` runs on both engines."""
