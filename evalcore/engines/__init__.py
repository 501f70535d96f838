"""Where the work of an evaluation runs."""
