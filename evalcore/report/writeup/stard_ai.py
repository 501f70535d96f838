"""STARD-AI: its items by number, in short names of our own, and what a document answers of them.

Sounderajah V, Guni A, Liu X, et al. Nat Med 2025;31:3283-3289. 40 items.
"""

from __future__ import annotations

from evalcore.report.writeup.items import Checklist

STARD_AI: Checklist = (
    (
        "Title and abstract",
        (
            ("1", "Named as an AI diagnostic accuracy study, with a measure", ""),
            ("2", "Structured abstract", ""),
        ),
    ),
    (
        "Introduction",
        (
            ("3", "Background, intended use and workflow", "setting"),
            ("4", "Objectives and hypotheses", "targets"),
        ),
    ),
    (
        "Methods",
        (
            ("5", "Prospective or retrospective", ""),
            ("6", "Ethics approval", ""),
            ("7", "Eligibility, of participants and of data", "preparation"),
            ("8", "How participants were identified", ""),
            ("9", "Setting, place and dates", "dates"),
            ("10", "Consecutive, random or convenience series", ""),
            ("11", "Source of the data", "sources"),
            ("12", "Annotation: who and how", "labellers"),
            ("13", "Devices and software", "software"),
            ("14", "Acquisition and preprocessing", ""),
            ("15a", "Index test", "predictions"),
            ("15b", "Development of the index test, with sample sizes", "partition"),
            ("15c", "Cut-offs of the index test, prespecified or exploratory", "rule_and_method"),
            ("15d", "End users and their expertise", "users"),
            ("16a", "Reference standard", "outcome"),
            ("16b", "Reference standard: rationale", ""),
            ("16c", "Reference standard: cut-offs", "outcome"),
            ("17a", "What readers of the index test knew", ""),
            ("17b", "What assessors of the reference standard knew", ""),
            ("18", "Statistical methods", "measures"),
            ("19", "Indeterminate results", "uncertain"),
            ("20", "Missing data", "missing"),
            ("21", "Analyses of variability", "marked_groups"),
            ("22", "Intended sample size", "sizes"),
            ("23", "Error, bias and fairness analyses", "marked_groups"),
        ),
    ),
    (
        "Results",
        (
            ("24", "Flow of participants", "sizes"),
            ("25", "Characteristics of training, validation and test sets", ""),
            ("26a", "Severity in those with the condition", ""),
            ("26b", "Alternative diagnoses in those without", ""),
            ("27", "Time between index test and reference standard", ""),
            ("28", "Whether the data represent the intended population", "differences"),
            ("29", "How an external data set differs", ""),
            ("30", "Cross-tabulation of index test and reference standard", "crosstab"),
            ("31", "Accuracy with its precision", "performance"),
            ("32", "Adverse events", ""),
        ),
    ),
    (
        "Discussion",
        (
            ("33", "Limitations", "limits"),
            ("34", "Implications for practice", ""),
            ("35", "Ethics and fairness of use", ""),
        ),
    ),
    (
        "Other information",
        (
            ("36", "Registration", ""),
            ("37", "Protocol", ""),
            ("38", "Funding", ""),
            ("39", "Commercial interests", ""),
            ("40a", "Availability of data and code", "digests"),
            ("40b", "Whether outputs are stored and can be audited", "document"),
        ),
    ),
)
