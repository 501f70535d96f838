"""Suspicions about queries that can be read: leakage, scores too good or upside down, odd selections."""

from evalcore.problems.kinds import declare

declare("QRY-016", "warning", "one class only ({found})", "", "Whatever compares the classes is not defined.")
declare(
    "QRY-028",
    "warning",
    "the unknown criterion {found!r} in {n:,} rows, where most criteria are A.1 to A.10",
    "",
    "It is kept as a criterion of its own; correct it if it is a slip of the pen.",
    names_ids=True,
)
declare(
    "QRY-029",
    "warning",
    "no row with the criteria {found}, where most of A.1 to A.10 are",
    "",
    "Nothing is filled in; every rate is over the criteria present.",
)
declare(
    "QRY-034",
    "warning",
    "{name} = {value} in {n:,} of {n_rows:,} rows: {effect}",
    "",
    "A threshold at the end of the scale decides nothing; make sure that it is meant.",
)
declare(
    "QRY-030",
    "warning",
    "{n:,} of {n_posts:,} posts in more than one of the {kind}",
    "",
    "Rows of one post are never independent: what was learnt or chosen on one part leaks into the other.",
)
declare(
    "QRY-031",
    "warning",
    "the post {post} in {kind} {name} and, before, in {kind} {first_name}{of_row}{rest}",
    "",
    "Keep all rows of a post in one part.",
    names_ids=True,
)
declare(
    "QRY-032",
    "warning",
    "{what} among the {n_rows:,} of {kind} {name}",
    "",
    "Whatever compares the classes is not defined there and is left out of means.",
)
declare(
    "QRY-035",
    "warning",
    "a score that equals the label in every {unit}{model} ({n_rows:,})",
    "",
    "The label stands in the place of the probability: use the column that the model wrote.",
)
declare(
    "QRY-036",
    "warning",
    "a score of no other value than {found} in {n_rows:,} {unit}s{model}",
    "",
    "These are decisions, not probabilities: no threshold between them changes anything.",
)
declare(
    "QRY-037",
    "warning",
    "an AUROC of {value} over {unit}s{model}, above 0.99",
    "",
    "Make sure that the score was made without the gold labels, and not on these rows.",
)
declare(
    "QRY-038",
    "warning",
    "an AUROC of {value} over {unit}s{model}, below 0.5",
    "",
    "Is the score reversed? It may be the probability of NO evidence; then use 1 minus it.",
)
declare(
    "QRY-039",
    "warning",
    "a numeric column that separates the label better (AUROC {value}) than the score does ({score}){model}",
    "",
    "If it was made from the gold labels, no model may use it; it is not used as a score here.",
)
declare(
    "QRY-040",
    "warning",
    "an expected calibration error of {value} over {unit}s{model}",
    "",
    "Only a fit on the same rows gives 0: judge calibration on rows that took no part in it.",
)
declare(
    "QRY-041",
    "warning",
    "a selection larger than the number of candidates in {n:,} of {n_rows:,} rows",
    "",
    "The rows follow, at most 20 of them; there is no more to select than the candidates.",
)
declare(
    "QRY-042",
    "warning",
    "{k} selected of {n} candidates",
    "",
    "Correct one of the two numbers.",
)
declare(
    "QRY-043",
    "warning",
    "K = {k} in each of the {n_rows:,} rows with a selection{model}",
    "",
    "A K that never changes is a fixed K: evidence recall is then Recall@K.",
)
declare(
    "QRY-044",
    "warning",
    "K at its cap in {n:,} of {n_rows:,} rows with a selection{model}; the largest is {k}",
    "",
    "The cap decides, not the policy: a lower γ or a higher cap would show it.",
)
declare(
    "QRY-045",
    "warning",
    "{n:,} values that are not {expected}",
    "",
    "The rows follow, at most 20 of them; metrics are computed here, never read.",
)
declare(
    "QRY-046",
    "warning",
    "{found}",
    "{expected}",
    "Recompute the metrics of this row.",
)
