"""The words, from what is counted to what is decided."""

from __future__ import annotations

from evalcore.glossary.entry import Term

GLOSSARY = {
    # What is counted
    "check": Term(
        "Check",
        "One question put to one text: does this post hold evidence for this criterion? Each row is a check.",
        ("checks", "query", "queries"),
    ),
    "post": Term(
        "Post",
        "A text that is checked, mostly for several criteria. Checks of one post are alike, and bounds allow "
        "for that.",
        ("posts",),
    ),
    "positive": Term(
        "With evidence",
        "Checks where people found what the criterion asks for. What the model says plays no part in it.",
        ("evidence", "positive", "positives"),
    ),
    "criterion": Term(
        "Criterion", "What is looked for in a post, such as A.9, suicidal ideation.", ("criteria",)
    ),
    "score": Term(
        "Score", "The model's number for a check: the higher, the more it expects evidence.", ("scores",)
    ),
    "group": Term(
        "Group",
        "Checks that share something: a criterion, a hospital, a model version. A whole may do well while a "
        "group does not.",
        ("groups",),
    ),
    "marked": Term(
        "Must not be missed",
        "A group that you marked (▲): it has to reach the target by itself, whatever the whole does.",
        ("marked", "marked group"),
    ),
    # What happens to a check
    "threshold": Term(
        "Thresholds",
        "Two scores. Below the lower one, τ neg, nobody looks; from the higher one, τ pos, an alert is "
        "raised.",
        ("threshold", "τ neg", "τ pos", "τ_neg", "τ_pos", "skip below", "alert from"),
    ),
    "skip": Term(
        "Skip",
        "The score is below the lower threshold: nobody looks at this check. Evidence in here is missed.",
        ("skipped", "neg"),
    ),
    "look": Term(
        "Look",
        "The score lies between the thresholds: a person reads the check and decides.",
        ("review", "uncertain"),
    ),
    "alert": Term(
        "Alert",
        "The score reaches the higher threshold: the check is put before a person at once.",
        ("alerts", "alerted"),
    ),
    "operating_point": Term(
        "Operating point", "A pair of thresholds with everything that follows from it.", ("point",)
    ),
    # What is measured
    "workload": Term(
        "Workload",
        "The share of the checks that a person has to read: looked at and alerted. The rest is skipped.",
        ("read", "reviewer workload"),
    ),
    "sensitivity": Term(
        "Screening sensitivity",
        "Of the checks with evidence, the share that is not skipped. 99.5 % means that 5 of 1,000 with "
        "evidence are missed.",
        ("screening recall",),
    ),
    "missed": Term(
        "Missed per 1,000 checks",
        "Of 1,000 checks of any kind, how many hold evidence and are skipped: few where evidence is rare. "
        "The verdict is that of the sensitivity, unless it has a target of its own.",
        ("missed", "missed per 1000", "missed per 1,000"),
    ),
    "precision": Term(
        "Alert precision",
        "Of the alerts, the share that is right: the check does hold evidence.",
        ("alerts that are right", "alerts right"),
    ),
    "alert_recall": Term(
        "Alert recall",
        "Of the checks with evidence, the share that raises an alert. The others wait to be looked at, or "
        "are skipped.",
    ),
    "reviews_per_true_alert": Term(
        "Reviews per true alert",
        "How many alerts a person opens for one that is right: 1 divided by the alert precision.",
        ("reviews for one true alert",),
    ),
    "npv": Term(
        "NPV of the skipped pile",
        "Of the skipped checks, the share without evidence (negative predictive value). Where evidence is "
        "rare it is high for any model.",
        ("npv", "negative predictive value", "npv of the skipped"),
    ),
    "prevalence": Term(
        "Prevalence",
        "The share of the checks with evidence. Where yours is another one, the same thresholds give other "
        "numbers of misses and of right alerts.",
        ("at another prevalence",),
    ),
    "net_benefit": Term(
        "Net benefit",
        "What acting on a score brings, wrong alerts counted against right ones at the rate at which you "
        "would trade them.",
    ),
    "calibration": Term(
        "Calibration", "Whether of the checks with a score of 0.2 about 20 in 100 do hold evidence."
    ),
    "tradeoff": Term(
        "Sensitivity against workload",
        "Every lower threshold as a point: how much of the evidence is kept for how much reading.",
        ("trade-off",),
    ),
    "reviewer": Term(
        "If reviewers find",
        "People miss things too. This is what remains found if they see this share of the evidence before "
        "them.",
        ("reviewer sensitivity",),
    ),
    # How sure one can be
    "estimate": Term(
        "Estimate", "What was counted on these rows. Other rows would give another number.", ("value",)
    ),
    "bound": Term(
        "Bound",
        "“At least 98.8 %, one-sided 95 %”: from rows like these, a true value below it would be a surprise "
        "that comes once in 20 times.",
        ("lower bound", "at least", "at most"),
    ),
    "interval": Term(
        "Interval",
        "Values that these rows are compatible with; 95 of 100 such intervals hold the true one.",
        ("95 % interval", "95 % ci", "confidence interval", "ci"),
    ),
    "target": Term(
        "Target",
        "What must hold, set before looking at the numbers: screening sensitivity ≥ 99.5 %.",
        ("targets",),
    ),
    "verdict": Term(
        "Verdict",
        "Met: the bound reaches the target. Met by the estimate only: the number does, the bound does not. "
        "Not met: the number does not.",
        ("met", "not met", "met by the estimate only", "status"),
    ),
    "not_excluded": Term(
        "May still hold",
        "The number misses the target, but these rows are so few that chance alone could have done that.",
        ("not excluded", "cannot be shown"),
    ),
    "tune": Term(
        "Tune",
        "The rows on which thresholds are chosen. Numbers on them flatter: they were picked to look well.",
        ("tuned", "on tune", "tune rows"),
    ),
    "test": Term(
        "Test",
        "Rows kept aside. Thresholds chosen on tune are counted on them once, and only that can confirm "
        "them.",
        ("on test", "test rows"),
    ),
    "split": Term("Split", "The division of the rows into tune and test, post by post.", ("part",)),
    "in_sample": Term(
        "In-sample",
        "Chosen and counted on the same rows, as there is no split: nothing here can confirm the choice.",
        ("all rows",),
    ),
    "certified": Term(
        "Certified",
        "Targets and thresholds were fixed before anybody saw the test rows, and the first look at these "
        "showed every target with its bound.",
        ("pre-specified", "confirmed"),
    ),
    "explored": Term(
        "Explored",
        "Moved or searched after the rows were seen. A good number may then be luck: it certifies nothing.",
        ("exploratory",),
    ),
    "look_at_test": Term(
        "Look at test",
        "Every time numbers of the test rows are shown, on whatever page. Only the first one can certify.",
        ("looks at test",),
    ),
    "fold": Term(
        "Fold", "One of several parts of the rows that take turns in being held out.", ("folds", "held out")
    ),
    "flip": Term(
        "Flip",
        "A check that another pair of thresholds or another model moves to another zone.",
        ("flips", "change of zone"),
    ),
    "p": Term(
        "p", "How often chance alone would make a difference this large, were there none.", ("p-value",)
    ),
    "holm": Term(
        "p (Holm)",
        "p made larger for the number of comparisons, as one of many is small by chance.",
        ("holm",),
    ),
    "n": Term("n", "How many checks, posts or lists a number is counted over."),
    "gap": Term("Gap", "Test minus tune: what the numbers lost on rows they were not chosen on."),
    "digest": Term(
        "Digest",
        "A fingerprint of the data: the same rows give the same one, a changed cell another.",
        ("sha-256", "data digest"),
    ),
    "synthetic": Term("Synthetic", "Made up by a program: the numbers say nothing about people."),
    "axis": Term(
        "Axis",
        "How the scores are laid out. Logit stretches both ends, where most lie; rank gives each check the "
        "same room; linear is the plain scale.",
    ),
    "gold": Term("Gold", "The sentences that people marked as the evidence.", ("gold evidence", "with gold")),
    "k": Term("K", "How many of the first places of a list count.", ("selected k",)),
    "alpha": Term(
        "Krippendorff's alpha",
        "How far annotators agree beyond chance: 1 is always, 0 what chance alone would give.",
        ("alpha",),
    ),
    "kappa": Term(
        "Cohen's kappa",
        "How far two annotators agree beyond chance: 1 is always, 0 what chance gives.",
        ("kappa",),
    ),
    "pinned": Term(
        "Pinned point", "An operating point kept under a name, to be set beside others.", ("pin",)
    ),
    "preset": Term("Preset", "A set of targets under a name.", ("presets",)),
}
"""Key → term, in the order in which one would explain them to somebody new."""
