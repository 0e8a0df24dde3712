"""The changelog operators, one file each."""
