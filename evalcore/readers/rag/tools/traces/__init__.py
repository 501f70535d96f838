"""Tools that observe answers: a named value about a trace or an item."""
