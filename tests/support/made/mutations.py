"""Documents with one or two of their values changed at random, and a content hash that fits."""

import copy

from tests.support.made.documents import rehashed

NUMBERS = (-1, 0, 1, 1.95, 0.5, 1e-300, 1e300, -0.0, 2**53 - 1, 3)
TEXTS = ("", "x", "nan", "0x1.0p+0", "folds", "test", "1e400", "gate.neg_npv")


def places(value, path=()):
    """Every place in a document, containers too."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def mutated(document, rng):
    """The document after one or two changes: null, text, another number, removed, swapped, repeated."""
    found = copy.deepcopy(document)
    for _ in range(int(rng.integers(1, 3))):
        known = [path for path in places(found) if path != ("content_sha256",)]
        path, other = (known[int(rng.integers(len(known)))] for _ in range(2))
        within = _at(found, path[:-1])
        kind = int(rng.integers(7))
        if kind == 0:
            within[path[-1]] = None
        elif kind == 1:
            within[path[-1]] = TEXTS[int(rng.integers(len(TEXTS)))]
        elif kind in (2, 3):
            within[path[-1]] = NUMBERS[int(rng.integers(len(NUMBERS)))]
        elif kind == 4:
            del within[path[-1]]
        elif kind == 5:
            within[path[-1]] = copy.deepcopy(_at(found, other))
        elif isinstance(within, list):
            within.append(copy.deepcopy(within[path[-1]]))
    return rehashed(found)


def _at(value, path):
    for key in path:
        value = value[key]
    return value
