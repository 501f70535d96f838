"""TRIPOD+AI: its items by number, in short names of our own, and what a document answers of them.

Collins GS, Moons KGM, Dhiman P, et al. BMJ 2024;385:e078378. 27 items, 52 with their letters.
"""

from __future__ import annotations

from evalcore.report.writeup.items import Checklist

TRIPOD_AI: Checklist = (
    ("Title", (("1", "Title", ""),)),
    ("Abstract", (("2", "Abstract", ""),)),
    (
        "Introduction",
        (
            ("3a", "Healthcare context and rationale", ""),
            ("3b", "Target population, purpose and users", "setting"),
            ("3c", "Known health inequalities", ""),
            ("4", "Objectives", "targets"),
        ),
    ),
    (
        "Methods",
        (
            ("5a", "Sources of data", "sources"),
            ("5b", "Dates of the data", "dates"),
            ("6a", "Setting and centres", ""),
            ("6b", "Eligibility criteria", ""),
            ("6c", "Treatments", ""),
            ("7", "Data preparation and quality checks", "preparation"),
            ("8a", "Outcome: definition and assessment", "outcome"),
            ("8b", "Outcome: who assessed it", "labellers"),
            ("8c", "Outcome: blinding", ""),
            ("9a", "Predictors: initial choice", ""),
            ("9b", "Predictors: definition and measurement", ""),
            ("9c", "Predictors: who assessed them", ""),
            ("10", "Sample size", "sizes"),
            ("11", "Missing data", "missing"),
            ("12a", "Use and partition of the data", "partition"),
            ("12b", "Handling of predictors", ""),
            ("12c", "Model type, building and internal validation", ""),
            ("12d", "Heterogeneity across clusters", "clusters"),
            ("12e", "Measures of performance", "measures"),
            ("12f", "Model updating", "updating"),
            ("12g", "How predictions were calculated", "predictions"),
            ("13", "Class imbalance", "imbalance"),
            ("14", "Fairness: approaches", "marked_groups"),
            ("15", "Model output, classes and thresholds", "rule_and_method"),
            ("16", "Differences between development and evaluation data", "differences"),
            ("17", "Ethical approval", ""),
        ),
    ),
    (
        "Open science",
        (
            ("18a", "Funding", ""),
            ("18b", "Conflicts of interest", ""),
            ("18c", "Protocol", ""),
            ("18d", "Registration", ""),
            ("18e", "Data sharing", "digests"),
            ("18f", "Code sharing", "software"),
        ),
    ),
    ("Patient and public involvement", (("19", "Patient and public involvement", ""),)),
    (
        "Results",
        (
            ("20a", "Flow of participants", "sizes"),
            ("20b", "Characteristics of participants", ""),
            ("20c", "Evaluation data beside development data", "differences"),
            ("21", "Participants and events in each analysis", "sizes"),
            ("22", "Full model specification", "document"),
            ("23a", "Performance with confidence intervals", "performance"),
            ("23b", "Heterogeneity of performance across clusters", "groups"),
            ("24", "Results of model updating", "updating"),
        ),
    ),
    (
        "Discussion",
        (
            ("25", "Interpretation", ""),
            ("26", "Limitations", "limits"),
            ("27a", "Poor or unavailable input when the model is used", "missing"),
            ("27b", "User interaction and expertise", "users"),
            ("27c", "Next steps for research", ""),
        ),
    ),
)
