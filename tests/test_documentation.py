"""The table from document sections to metric keys is complete."""

import re

from evalcore.documentation import ELSEWHERE, sections


def test_every_section_of_the_documents_is_answered(shared):
    answered = {*ELSEWHERE, *sections()}
    for name in ("000-metric-contract", "001-metric-specification", "002-metrics-contract"):
        headings = re.findall(
            r"^#{2,3} (A?\.?[\d.]*\d)\.? ", (shared / "seeds" / f"{name}.md").read_text(), flags=re.M
        )
        numbers = [number for number in headings if not any(h.startswith(f"{number}.") for h in headings)]
        assert len(numbers) > 10
        missing = [number for number in numbers if f"{name[:3]} §{number}" not in answered]
        assert missing == [], name


def test_every_metric_is_reached_from_a_section_or_names_another_source():
    from evalcore.catalog import METRICS

    reached = {key for keys in sections().values() for key in keys}
    for key, metric in METRICS.items():
        assert key in reached or re.search(r"\d{4}|contract", metric.source), key
