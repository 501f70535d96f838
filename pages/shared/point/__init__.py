"""The session's operating point, its standing, and the looks at test rows."""
