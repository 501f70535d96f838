"""The table from document sections to metric keys is complete."""

import re

from evalcore.documentation import ELSEWHERE, sections

# The sections without parts of the metric contract, the metric specification and the contract of all metrics.
SECTIONS = {
    "000": "1.1 1.2 1.3 1.4 1.5 2.1 2.2 3.1 3.2 4.1 4.2 4.3 5 6.1 6.2 7",
    "001": "1.1 1.2 1.3 1.4 2.1 2.2 2.3 2.4 3.1 3.2 3.3 3.4 4.1 5.1 5.2 6 7 8",
    "002": "1.1 1.2 1.3 2.1 2.2 2.3 2.4 3.1 3.2 3.3 3.4 3.5 3.6 4.1 4.2 4.3 5.1 5.2 5.3 5.4 6.1 6.2 6.3 6.4 "
    "7.1 7.2 8.1 8.2 9.1 9.2 9.3 10.1 10.2 10.3 11.1 11.2 11.3 A.1 A.2 A.3 A.4",
}

NAMED = (
    "Precision@K, Recall@K, nDCG@K, nDCGRendle2020@K, HitRate@K, MAP@K, MAR@K, MRR@K, F1@K, AUC, "
    "GAUC, LAUC@K, MAE, MSE, RMSE, ItemCoverage@K, UserCoverage@K, NumRetrieved@K, "
    "UserCoverageAtN, EFD@K, EPC@K, Gini Index@K, Shannon Entropy@K, SRecall@K, ARP@K, ACLT@K, "
    "APLT@K, PopRSP@K, PopREO@K, REO@K, RSP@K, BiasDisparityBD@K, BiasDisparityBR@K, "
    "BiasDisparityBS, ItemMADRanking@K, ItemMADRating@K, UserMADRanking@K, UserMADRating@K, "
    "Euclidean Distance@K, Hypervolume@K"
)
"""The sections of document 004, which have no numbers."""


def test_every_section_of_document_004_is_answered_by_one_metric():
    found = {section: keys for section, keys in sections().items() if section.startswith("004 ")}
    assert set(found) == {f"004 {name}" for name in NAMED.split(", ")}
    assert all(len(keys) == 1 for keys in found.values())


def test_every_section_of_the_documents_is_answered():
    answered = {*ELSEWHERE, *sections()}
    for document, numbers in SECTIONS.items():
        missing = [number for number in numbers.split() if f"{document} §{number}" not in answered]
        assert missing == [], document


def test_every_metric_is_reached_from_a_section_or_names_another_source():
    from evalcore.catalog import METRICS

    reached = {key for keys in sections().values() for key in keys}
    for key, metric in METRICS.items():
        assert key in reached or re.search(r"\d{4}|contract", metric.source), key
