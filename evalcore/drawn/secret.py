"""Draws that only those can repeat who hold a secret text: weights by a keyed hash of ids, and of the seed.

Without one, how often each id is drawn can be computed by anybody who guesses the id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import InputError, problem

LEAST_BYTES, MOST_BYTES, LEAST_KINDS = 32, 4096, 10
_SALT = b"evalcore.draws/1"
_COST = {"n": 2**15, "r": 8, "p": 1, "maxmem": 2**26}


@dataclass(frozen=True, repr=False)
class Secret:
    """What is made of a secret text; the text itself is kept nowhere.

    Parameters
    ----------
    of_ids, of_seed : the keys of the hashes of ids and of the seed.
    check : 128 bits of their own, as hexadecimal text, that two files of one secret have alike. They say
        nothing of the keys, and who would try texts against them pays for each a slow hash (scrypt).
    """

    of_ids: bytes
    of_seed: bytes
    check: str

    @staticmethod
    def of_text(text: bytes) -> Secret:
        """The keys of a secret text; blanks and line ends around it do not count.

        Raises
        ------
        InputError : SIT-010 for a text that is too short, too long or too plain to be kept from guessing.
        """
        text = text.strip()
        if not LEAST_BYTES <= len(text) <= MOST_BYTES:
            raise InputError([_weak(f"a secret of {len(text):,} bytes")])
        if len(set(text)) < LEAST_KINDS:
            raise InputError([_weak(f"a secret of {len(set(text)):,} different bytes")])
        made = hashlib.scrypt(text, salt=_SALT, dklen=80, **_COST)
        return Secret(made[:32], made[32:64], made[64:].hex())

    def hashes(self, ids: Iterable[str] | NDArray[Any]) -> NDArray[np.uint64]:
        """64 bits of the keyed BLAKE2b digest of each id's UTF-8 text, in place of `weights.hashes`."""
        digests, fresh = [], hashlib.blake2b(key=self.of_ids, digest_size=8).copy
        for one in ids:
            digest = fresh()
            digest.update(str(one).encode())
            digests.append(digest.digest())
        return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)

    def seed(self, seed: int) -> int:
        """What stands for a seed: the numbers of replicates are hidden by it, as ids are."""
        digest = hashlib.blake2b(str(seed).encode(), key=self.of_seed, digest_size=8).digest()
        return int.from_bytes(digest, "little")


def _weak(found: str) -> Any:
    expected = f"{LEAST_BYTES} to {MOST_BYTES:,} bytes drawn by lot, {LEAST_KINDS} of them different at least"
    return problem("SIT-010", found=found, expected=expected)
