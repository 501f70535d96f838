"""From bytes to tables of named columns, and what is no table named for what it is."""
