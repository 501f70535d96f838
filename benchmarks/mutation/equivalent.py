"""Mutants that no test can tell from the module as it is."""

from __future__ import annotations

EQUIVALENT_MUTANTS: dict[tuple[str, str, str], str] = {
    (
        "evalcore/inference/cluster_sums.py",
        "squares = np.where((whole == 0) & (squares < 0.5), 0.0, np.maximum(squares, 0.0))",
        "squares = np.where((whole == 0) & (squares < (0.626)), 0.0, np.maximum(squares, 0.0))",
    ): "where n² times the squares is 0 modulo 2⁶⁴ they are 0, or at least 2⁶⁴/n²: above .5 below 6 thousand "
    "million cases",
    (
        "evalcore/inference/cluster_sums.py",
        "squares = np.where((whole == 0) & (squares < 0.5), 0.0, np.maximum(squares, 0.0))",
        "squares = np.where((whole == 0) & ((squares <= 0.5)), 0.0, np.maximum(squares, 0.0))",
    ): "the same: to be exactly .5 there takes more than six thousand million cases",
    (
        "evalcore/inference/correlation.py",
        "return UNKNOWN if upper > 1 - 1e-9 else max(float(upper), 0.0)",
        "return UNKNOWN if (upper >= 1 - 1e-09) else max(float(upper), 0.0)",
    ): "an estimate is never exactly that number",
    (
        "evalcore/drawn/fits.py",
        "is_small = np.maximum(np.abs(step_a), np.abs(step_b)) <= SETTLED * (1 + np.abs(b[going]))",
        "is_small = (np.maximum(np.abs(step_a), np.abs(step_b)) < SETTLED * (1 + np.abs(b[going])))",
    ): "a step is never exactly that long, and one of 0 is shorter",
    (
        "evalcore/drawn/post_values.py",
        "is_count = (largest[is_open] <= MOST_COUNTED) & (np.rint(unbound) == unbound).all(axis=0)",
        "is_count = ((largest[is_open] < MOST_COUNTED)) & (np.rint(unbound) == unbound).all(axis=0)",
    ): "a largest value of that number is the limit either way",
    (
        "evalcore/drawn/post_values.py",
        "if (beyond := np.flatnonzero(largest > limit * (1 + ROUNDING))).size:",
        "if (beyond := np.flatnonzero((largest >= limit * (1 + ROUNDING)))).size:",
    ): "no bound is exactly a billionth above what is declared",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "group[np.isin(group, alike)] = alike[0]",
        "group[np.isin(group, alike)] = alike[(1)]",
    ): "any of the group may name it",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "return len(np.intersect1d(_singles(tune), _singles(test), assume_unique=True))",
        "return len(np.intersect1d(_singles(tune), _singles(test), assume_unique=(False)))",
    ): "they are unique",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "return n_across if chance < _BY_ACCIDENT else 0",
        "return n_across if (chance <= _BY_ACCIDENT) else 0",
    ): "no chance of so few posts is exactly that number",
    (
        "evalcore/operating_point/test_rows/overlap.py",
        "mixed = _mixed(of_criterion[queries.criterion] + label)",
        "mixed = _mixed((of_criterion[queries.criterion] - label))",
    ): "another number for the same pair of criterion and label",
    **{
        ("evalcore/operating_point/prospects/outlook.py", before, after): why
        for before, after, why in (
            (
                "if constraint.value == 1:",
                "if constraint.value == (2):",
                "no number of alerts that a test has shows 1: the chance is 0, though after a search",
            ),
            (
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + 1)",
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + (0.626), share)) + 1)",
                "more numbers than are needed for nine digits of the chance",
            ),
            (
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + 1)",
                "wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + (2))",
                "the same",
            ),
        )
    },
    **{
        ("evalcore/operating_point/prospects/before_test.py", before, after): why
        for before, after, why in (
            (
                "n_missed = -1 if tau is None else int(states_at(chosen.table, tau, None).neg_pos)",
                "n_missed = -(2) if tau is None else int(states_at(chosen.table, tau, None).neg_pos)",
                "any number below 0 says that nothing can be skipped",
            ),
            (
                "on_tune, on_test = (rows.whole.kept(slice(0, 1)) for rows in (chosen, tested))",
                "on_tune, on_test = (rows.whole.kept(slice(0, (2))) for rows in (chosen, tested))",
                "the first is read",
            ),
            (
                "alerts = chosen.posts.right(slice(at, at + 1))",
                "alerts = chosen.posts.right(slice(at, at + (2)))",
                "the first is read",
            ),
        )
    },
    (
        "evalcore/operating_point/test_rows/label_agreement.py",
        "if n_mixed >= _LEAST_SHARE * expected or float(special.pdtr(n_mixed, expected)) >= BY_ACCIDENT:",
        "if (n_mixed > _LEAST_SHARE * expected) or float(special.pdtr(n_mixed, expected)) >= BY_ACCIDENT:",
    ): "a count is never exactly half a sum of rates but where both are 0, and there the other holds",
    (
        "evalcore/operating_point/constraints.py",
        "misses = np.arange(int(n * (1 - target)) + 2)",
        "misses = np.arange(int(n * (1 - target)) + (3))",
    ): "with so many misses the estimate itself misses the target",
    (
        "evalcore/operating_point/tradeoff/thresholds.py",
        "if not low < np.nextafter(high, -np.inf):",
        "if not (low <= np.nextafter(high, -np.inf)):",
    ): "between neighbouring floats no decimal is found, and the score is returned as well",
    (
        "evalcore/inference/bands.py",
        "share = (grid * n_neg - reached) / np.maximum(next_reached - reached, 1)",
        "share = (grid * n_neg - reached) / np.maximum(next_reached - reached, (2))",
    ): "steps of the curve are 0, where nothing rises, or at least the number of steps of the grid; with one "
    "step the grid holds points of the curve only",
    **{
        (
            "evalcore/drawn/fits.py",
            f"{moves} = np.isfinite(step_a) & (np.abs(step_b) < FARTHEST)",
            f"{moves} = {after}",
        ): "a fit that settles within the points is the only one, whatever the steps; any other is made anew"
        for moves in ("is_near", "moves")
        for after in (
            "(np.isfinite(step_a) | (np.abs(step_b) < FARTHEST))",
            "np.isfinite(step_a) & ((np.abs(step_b) <= FARTHEST))",
        )
    },
}
"""File, line before and after → why no test can tell the two apart."""
