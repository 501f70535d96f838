"""Cases of which the short run takes a few."""

from collections.abc import Iterable
from typing import Any

import pytest


def but_long(cases: Iterable[Any], n_short: int) -> list[Any]:
    """Cases for `parametrize`, values or tuples: `make ci` runs the first `n_short`, `make test` all."""
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.long] * (at >= n_short)) for at, case in enumerate(every)]
