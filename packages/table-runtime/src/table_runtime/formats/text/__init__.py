"""Values as text, for the formats csv and json."""
