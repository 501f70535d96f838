"""How the columns of a table get their roles."""
