"""The Reference page, through app.py."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.catalog import METRICS
from evalcore.glossary import GLOSSARY

ROOT = Path(__file__).resolve().parents[3]


REFERENCE = "pages/common/reference.py"


def opened(**query: str) -> AppTest:
    """A session that begins on the Reference page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(REFERENCE)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


@pytest.fixture
def reference() -> AppTest:
    """A session on the list of the Reference page."""
    return opened()


def address(app: AppTest) -> str | None:
    """The definition that the address names; one that the app did not change is as the test gave it."""
    value = app.query_params.get("metric")
    return value[0] if isinstance(value, list) else value


def headers(app: AppTest) -> list[str]:
    """What is shown on the page: the name of one definition, or the chapters of all."""
    return [one.value for one in app.header]


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


def test_definition_holds_formula_population_undefined_case_variants_and_source() -> None:
    definition = opened(metric="gate.screening_fn_per_1000")
    page = shown(definition)
    assert headers(definition) == ["Missed per 1000"]
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
    assert address(reference) == "ranking.ndcg"
    assert headers(reference) == [METRICS["ranking.ndcg"].label]
    reference.button[0].click().run()
    assert address(reference) is None
    assert len(reference.expander) == len(METRICS)


def test_a_message_that_was_under_way_with_the_address_before_does_not_bring_the_list_back(
    reference: AppTest,
) -> None:
    reference.button(key="ranking.ndcg").click().run()
    del reference.query_params["metric"]  # as a second press sends it, before the first is answered
    reference.run()
    assert headers(reference) == [METRICS["ranking.ndcg"].label]
    assert address(reference) == "ranking.ndcg"
    reference.button[0].click().run()
    reference.query_params["metric"] = "ranking.ndcg"
    reference.run()
    assert len(reference.expander) == len(METRICS)
    assert address(reference) is None


def test_the_menu_leads_to_the_list_and_back_to_the_definition() -> None:
    app = opened(metric="ranking.ndcg")
    app.switch_page("pages/common/data.py").run()
    del app.query_params["metric"]
    app.switch_page(REFERENCE).run()
    assert len(app.expander) == len(METRICS)
    app.switch_page("pages/common/data.py").run()
    app.switch_page(REFERENCE)
    app.query_params["metric"] = "ranking.ndcg"
    assert headers(app.run()) == [METRICS["ranking.ndcg"].label]


def test_unknown_name_in_the_address_gets_the_closest_ones() -> None:
    definition = opened(metric="gate.screening_sensitivty<img>")
    page = shown(definition)
    assert not definition.exception
    assert "Do you mean gate.screening_sensitivity" in page
    assert "&lt;img&gt;" in page
