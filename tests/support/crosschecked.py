"""What the tests of the second implementations share."""

import numpy as np

from evalcore.crosscheck import SECOND
from evalcore.spec import PerQuery, Ratio


def keys(family):
    return [key for key in SECOND if key.startswith(f"{family}.")]


def number(result, members=None):
    """A result as a number; one of the first implementation may be counts, or values of queries or posts."""
    if isinstance(result, PerQuery):
        return result.over(np.ones(len(result.values), bool) if members is None else members)[0]
    return float(result.value if isinstance(result, Ratio) else result)
