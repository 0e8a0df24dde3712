"""What is known of the changes that a plan makes: keys of rows, kinds of changes, and what each reader asks for."""
