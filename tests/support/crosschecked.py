"""What the tests of the second implementations share."""

import numpy as np

from evalcore.crosscheck import OF_ANNOTATIONS, OF_EVIDENCE, OF_RECOMMENDATIONS
from evalcore.spec import PerQuery, Ratio

SECOND = {
    f"{family}.{name}": function
    for family, second in {**OF_EVIDENCE, **OF_ANNOTATIONS, **OF_RECOMMENDATIONS}.items()
    for name, function in second.functions.items()
}
"""Key of a metric → its second implementation."""


def keys(family):
    return [key for key in SECOND if key.startswith(f"{family}.")]


def number(result, members=None):
    """A result as a number; one of the first implementation may be counts, or values of queries or posts."""
    if isinstance(result, PerQuery):
        return result.over(np.ones(len(result.values), bool) if members is None else members)[0]
    return float(result.value if isinstance(result, Ratio) else result)
