"""The Reference page, through app.py."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.catalog import METRICS
from evalcore.glossary import GLOSSARY

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def reference() -> AppTest:
    """A session on the Reference page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return app.switch_page("pages/common/reference.py").run()


def shown(app: AppTest) -> str:
    """Everything on the page as text and HTML."""
    return "\n".join([*(one.value for one in app.markdown), *(one.value for one in app.get("html"))])


def test_every_metric_is_defined(reference: AppTest) -> None:
    assert not reference.exception
    assert len(reference.expander) == len(METRICS)
    page = shown(reference)
    for key, declared in METRICS.items():
        assert f"<code>{key}</code>" in page
        assert declared.summary in page
    assert f"{len(METRICS)} of {len(METRICS)} definitions" in [one.value for one in reference.caption]


def test_definition_holds_formula_population_undefined_case_variants_and_source(reference: AppTest) -> None:
    reference.query_params["metric"] = "gate.screening_fn_per_1000"
    page = shown(reference.run())
    assert [one.value for one in reference.header] == ["Missed per 1000"]
    assert "<dt>Formula</dt><dd><code>1000 · # with evidence, NEG / N</code></dd>" in page
    assert "<dt>Population</dt><dd><code>all_queries</code></dd>" in page
    assert (
        "<dt>Undefined</dt><dd>no queries; no query with evidence (<code>per_1000_positives</code>)</dd>"
        in page
    )
    assert "<code>per_1000_positives</code>: per 1000 queries with evidence" in page
    assert "<dt>Source</dt><dd>002 §5.3</dd>" in page


def test_search_finds_by_any_words_of_the_name(reference: AppTest) -> None:
    reference.text_input(key="reference_search").set_value("Sensitivity SCREENING").run()
    assert [one.label.split()[-1] for one in reference.expander] == [":small[gate.screening_sensitivity]"]
    assert [one.value for one in reference.header] == ["Words", "Gate"]


@pytest.mark.parametrize("word", ["workload", "certified", "tuned", "post", "NPV", "missed per 1,000"])
def test_search_finds_words_that_are_no_metrics(reference: AppTest, word: str) -> None:
    reference.text_input(key="reference_search").set_value(word).run()
    (term,) = [one for one in GLOSSARY.values() if word.lower() in (one.name.lower(), *one.also)]
    assert reference.header[0].value == "Words"
    assert f"<dt>{term.name}</dt><dd>{term.plain}</dd>" in shown(reference)


def test_search_without_a_hit_says_so(reference: AppTest) -> None:
    reference.text_input(key="reference_search").set_value("nothing like it").run()
    assert len(reference.expander) == 0
    assert f"0 of {len(METRICS)} definitions" in [one.value for one in reference.caption]


def test_address_of_a_definition_opens_it_alone(reference: AppTest) -> None:
    reference.button(key="ranking.ndcg").click().run()
    assert (
        reference.query_params["metric"] == ["ranking.ndcg"]
        or reference.query_params["metric"] == "ranking.ndcg"
    )
    assert [one.value for one in reference.header] == [METRICS["ranking.ndcg"].label]
    reference.button[0].click().run()
    assert len(reference.expander) == len(METRICS)


def test_unknown_name_in_the_address_gets_the_closest_ones(reference: AppTest) -> None:
    reference.query_params["metric"] = "gate.screening_sensitivty<img>"
    page = shown(reference.run())
    assert not reference.exception
    assert "Do you mean gate.screening_sensitivity" in page
    assert "&lt;img&gt;" in page
