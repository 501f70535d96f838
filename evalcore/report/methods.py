"""What stands behind the intervals of a report, in words."""

from __future__ import annotations

from evalcore.evaluation import Report

METHODS = {
    "korn_graubard": (
        "Shares of cases, as sensitivity and precision: Korn–Graubard, exact bounds at the effective number "
        "of cases."
    ),
    "strict": "Such shares with many cases a post: exact bounds at Kish’s effective number of cases.",
    "clopper_pearson": "Shares of independent cases: exact bounds (Clopper–Pearson).",
    "cluster_bootstrap": (
        "{of_what}ercentiles over {n:,} bootstrap replicates, which draw {units}; seed {seed}."
    ),
    "jackknife": (
        "Figures beside which replicates lie, such as a number of distinct items: 1.96 standard "
        "errors from leaving out each part of the users in turn, which are seldom too narrow."
    ),
    "spread": (
        "How unlike groups are: give or take the size that chance alone reaches in 95 of 100 samples, from "
        "leaving out each part of the users in turn; with more than two groups rather too wide."
    ),
    "delong": "AUROC without a bootstrap: DeLong’s variance, which assumes independent rows.",
    "wilson": "Shares of queries or answers: Wilson’s score interval.",
    "t": (
        "Means over folds: t-interval from the 1/(N − 1) standard deviation, cut to the range of the metric."
    ),
    "not_estimable": (
        "No interval: the statistic is alike in every replicate, resampling would bias it, a group is of "
        "too few users, or a mean holds a fill value; ci_method says which."
    ),
}
"""Name of a method in ``ci_method`` → what it is."""
DRAWN = {"cluster_bootstrap", "jackknife", "spread", "not_estimable"}
"""Where a report has none but these, there is nothing else that the first of them is told from."""


def methods(report: Report) -> list[str]:
    """A sentence for each method behind an interval of the report; none where it has no interval.

    What differs between the intervals of a method, such as the effective number of cases, is in the files.
    """
    found = sorted({text for text in report.table["ci_method"].tolist() if text})
    names = {text.partition("(")[0] for text in found}
    drawn = {text.partition("(")[2].partition("=")[0] for text in found if text.startswith("cluster_")}
    units = " or ".join(sorted(drawn))
    options = report.options
    of_what = "Everything else: p" if names - DRAWN else "P"
    return [
        text.format(n=options.bootstrap, units=units, seed=options.seed, of_what=of_what)
        for name, text in METHODS.items()
        if name in names
    ]
