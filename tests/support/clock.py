"""A clock that a test moves."""


class Clock:
    """At 0 until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now
