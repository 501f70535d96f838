"""What tests of the server share."""

import pytest

from tests.support.clock import Clock


@pytest.fixture
def clock() -> Clock:
    """A clock at 0 that the test moves."""
    return Clock()
