"""Names of columns: how they are compared, and what a name alone says."""

from __future__ import annotations

import re
from collections.abc import Collection

DIRECTION_UNKNOWN = ("ne_prob",)
"""Names of scores that may be the probability of NO evidence: recognised, but their direction is asked."""

_LIST_NAME = re.compile(r"\w+_topk|(ranked|reranked|retrieved|retriever|candidate)_ids")
_GOLD_DERIVED = re.compile(
    r"(evidence_)?(mrr|map|ap|ndcg|recall|precision|f1|hit|hit_rate|average_precision|reciprocal_rank)"
    r"(_?at_?(k|selected_k|\d+)|@(k|\d+))?|\w+_correct|correct"
)
_TEXT_NAME = re.compile(
    r"(\w+_)?(text|body|selftext|content|sentence|sentences|note|notes|comment|comments|message|snippet|"
    r"title|description|summary|rationale|quote|excerpt)|post"
)


_WEIGHT = re.compile(
    r"((sample|case|row|obs|observation|instance|survey|sampling|design|class|importance|analytic|ip|ipw|"
    r"inverse_probability|probability|prob|frequency|freq|[pfai])_?)?(weights?|wts?|wgts?)|w|w_?i|ipw|iptw|"
    r"freq|frequency"
)
_COUNT = re.compile(r"n|counts?|n_(rows|obs|cases|observations)|(row|obs|case)_?counts?|frequencies|freqs")
_REVERSED = frozenset({"distance", "dist", "loss", "perplexity", "ppl", "nll", "rank"})


_LONGEST = 1_000
_UNSEEN = dict.fromkeys(
    (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
)
"""Characters without a glyph: soft hyphens, joiners, marks of direction and of byte order."""


def plain(name: str) -> str:
    """A column name in lower case, with ``_`` for blanks and hyphens: how names are compared.

    Marks that nobody sees, such as a byte order mark inside of a file, are no part of a name. A name longer
    than any that is known stays as it is: a file may make one of megabytes, which is compared many times.

    >>> plain(" Post-ID "), plain(chr(0xFEFF) + "id")
    ('post_id', 'id')
    """
    if len(name) > _LONGEST:
        return name
    if not name.isascii():
        name = name.translate(_UNSEEN)
    return re.sub(r"[\s\-]+", "_", name.strip().lower())


def is_list_name(name: str) -> bool:
    """Whether a column of this name holds ranked lists (``bm25_topk``)."""
    return bool(_LIST_NAME.fullmatch(plain(name)))


def is_gold_derived(name: str) -> bool:
    """Whether the name is that of a metric, computed from the gold labels and never a score (``mrr``)."""
    return bool(_GOLD_DERIVED.fullmatch(plain(name)))


def is_text_name(name: str) -> bool:
    """Whether a column of this name holds personal text (``post_text``, ``note``)."""
    return bool(_TEXT_NAME.fullmatch(plain(name)))


def is_weight_name(name: str) -> bool:
    """Whether a column of this name holds the weights of rows.

    >>> is_weight_name("sample_weight"), is_weight_name("w_i"), is_weight_name("body_weight")
    (True, True, False)
    """
    return bool(_WEIGHT.fullmatch(plain(name)))


def is_count_name(name: str) -> bool:
    """Whether a column of this name may hold how many cases each row stands for.

    >>> is_count_name("n"), is_count_name("Count"), is_count_name("n_candidates")
    (True, True, False)
    """
    return bool(_COUNT.fullmatch(plain(name)))


def is_reversed_name(name: str) -> bool:
    """Whether a column of this name is lower for what fits better, as distances, losses and ranks are.

    >>> is_reversed_name("_distance"), is_reversed_name("l2_dist"), is_reversed_name("rank_score")
    (True, True, False)
    """
    words = {word.removesuffix("s") if word != "loss" else word for word in plain(name).split("_")}
    return not words.isdisjoint(_REVERSED - ({"rank"} if "score" in words else set()))


def own_name(column: str, taken: Collection[str], names: Collection[str]) -> str:
    """What a column is called beside roles: as the file has it, unless a role is called so.

    Parameters
    ----------
    column : the name in the file.
    taken : names of roles that are in use.
    names : of all columns of the file.

    Examples
    --------
    >>> own_name("ward", ["fold"], []), own_name("fold", ["fold"], [])
    ('ward', 'fold (column)')
    """
    if column not in taken:
        return column
    n = 1
    while (name := f"{column} (column{f' {n}' if n > 1 else ''})") in names:
        n += 1
    return name
