"""Everything declared is documented, everything documented is current, and a forgotten fact is noticed."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evalcore.metrics
from evalcore import catalog, documentation, problems, spec
from evalcore.__main__ import main
from evalcore.catalog import METRICS
from evalcore.problems import KINDS
from evalcore.spec import FAMILIES, Metric, metric
from evalcore.tallies.decisions import StateCounts

ROOT = Path(__file__).resolve().parents[2]
KEYS = {
    "classification": "auroc auprc pair_auroc pair_auprc tpr_at_fpr sensitivity specificity "
    "false_positive_rate precision npv f1 mcc balanced_accuracy true_positives true_negatives "
    "false_positives false_negatives net_benefit",
    "calibration": "ece mce brier brier_skill log_loss calibration_intercept calibration_slope ici e50 e90",
    "gate": "neg_rate uncertain_rate pos_rate alerts_per_1000 screening_sensitivity screening_fn_per_1000 "
    "alert_precision alert_recall neg_npv reviews_per_true_alert",
    "ranking": "recall precision hit_rate mrr map ndcg",
    "recommender": "precision recall ndcg ndcg_rendle2020 hit_rate map mar mrr f1 auc gauc lauc mae mse rmse "
    "item_coverage user_coverage num_retrieved user_coverage_at_n efd epc gini shannon_entropy s_recall arp "
    "aclt aplt pop_rsp pop_reo reo rsp bias_disparity_bs bias_disparity_br bias_disparity_bd "
    "item_mad_ranking item_mad_rating user_mad_ranking user_mad_rating euc_distance hypervolume",
}
WHOLE_DECLARATION: dict[str, Any] = {
    "family": "gate",
    "label": "Planted",
    "formula": "n / N",
    "population": "all_queries",
    "undefined": (),
    "bounds": (0, 1),
    "better": "higher",
    "source": "nowhere",
}


@pytest.fixture
def planted() -> Iterator[None]:
    """Forget afterwards what a test declares."""
    before = [(registry, dict(registry)) for registry in (METRICS, spec.METRICS, KINDS)]
    yield
    for registry, content in before:
        registry.clear()
        registry.update(content)


def stale_pages(folder: Path) -> list[str]:
    """The generated pages that differ from what the declarations say now."""
    current = documentation.pages()
    return [name for name, text in current.items() if (folder / name).read_text() != text]


def section(declared: Metric, name: str) -> str:
    """One section of a metric's docstring in one line; empty where there is none."""
    parts = re.split(r"\n\n(?=\w+\n-+\n)", inspect.getdoc(declared.function) or "")
    (found,) = [part for part in parts if part.startswith(f"{name}\n-")] or [""]
    return " ".join(found.split()[2:])


def repeated_facts(declared: Metric) -> list[str]:
    """What the docstring of a metric says once more: range, undefined value or source of its declaration."""
    returns, source = section(declared, "Returns"), section(declared, "Source")
    low, high = (f"{bound:g}".replace("-", "−") for bound in declared.bounds)
    range_in_words = f"in [{low}, {high}]"
    told = [range_in_words] if re.search(rf"(Ratio|float|each) {re.escape(range_in_words)}", returns) else []
    told += re.findall(r"^(?:Ratio|float|count)\b[^.]*; (NaN [^.]*)\.$|(?:mean|median) is (NaN .*)", returns)
    stated = source.rstrip(".").removeprefix("Document ").removeprefix("Documents ")
    return [*map(str, told), *([stated] if stated and stated in declared.source else [])]


def unlisted_modules() -> set[str]:
    """Modules that declare a metric and that the catalogue does not import."""
    for module in pkgutil.walk_packages(evalcore.metrics.__path__, "evalcore.metrics."):
        importlib.import_module(module.name)
    inside = {m.function.__module__ for m in spec.METRICS.values()}
    names = {
        name.removeprefix("evalcore.metrics.") for name in inside if name.startswith("evalcore.metrics.")
    }
    return names - set(catalog.MODULES)


def test_pages_are_current() -> None:
    assert stale_pages(ROOT / "docs") == [], "run 'make docs'"


def test_changed_page_is_noticed(tmp_path: Path) -> None:
    documentation.write_pages(tmp_path)
    assert stale_pages(tmp_path) == []
    page = tmp_path / "problems.md"
    page.write_text(page.read_text().replace("no such file", "no file"))
    assert stale_pages(tmp_path) == ["problems.md"]


@pytest.mark.usefixtures("planted")
def test_metric_and_problem_without_a_page_are_noticed() -> None:
    METRICS["gate.planted"] = replace(METRICS["gate.neg_rate"], name="planted")
    problems.kinds.declare("TST-001", "error", "nothing", "something", "Try again.")
    assert stale_pages(ROOT / "docs") == ["metrics.md", "problems.md", "documents.md"]


def test_metrics_are_those_of_the_interface() -> None:
    promised = {f"{family}.{name}" for family, names in KEYS.items() for name in names.split()}
    assert promised == {key for key, declared in METRICS.items() if declared.family in KEYS}


def test_families_stand_in_their_order_whatever_was_imported_first() -> None:
    families = list(dict.fromkeys(declared.family for declared in METRICS.values()))
    assert families == [family for family in FAMILIES if family in families]
    assert next(iter(METRICS)) == "classification.auroc"


def test_every_metric_module_is_in_the_catalogue() -> None:
    assert unlisted_modules() == set()


def test_metric_module_that_the_catalogue_forgot_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "MODULES", catalog.MODULES[:-1])
    assert unlisted_modules() == {"recommender.objectives"}


@pytest.mark.parametrize("key", METRICS)
def test_metric_docstring_describes_its_tally_and_repeats_no_fact(key: str) -> None:
    assert section(METRICS[key], "Parameters")
    assert repeated_facts(METRICS[key]) == []


@pytest.mark.parametrize("key", METRICS)
def test_metric_parameters_are_described(key: str) -> None:
    declared = METRICS[key]
    text = inspect.getdoc(declared.function) or ""
    parameters = text.partition("Parameters\n")[2].partition("Returns\n")[0]
    for name in inspect.signature(declared.function).parameters:
        named = rf"^(\w+, )*{name}(, \w+)* :"
        assert name == "variant" or re.search(named, parameters, flags=re.MULTILINE), name


@pytest.mark.usefixtures("planted")
def test_a_repeated_fact_is_noticed() -> None:
    @metric(**{**WHOLE_DECLARATION, "source": "002 §5.2"})
    def planted_rate(counts: StateCounts) -> Any:
        """Share of nothing.

        Returns
        -------
        Ratio in [0, 1]; NaN without queries.

        Source
        ------
        Document 002 §5.2.
        """
        return counts

    planted = spec.METRICS["gate.planted_rate"]
    assert section(planted, "Parameters") == ""
    assert len(repeated_facts(planted)) == 3


@pytest.mark.usefixtures("planted")
def test_metric_without_a_docstring_is_refused() -> None:
    def silent(counts: StateCounts) -> Any:
        return counts

    with pytest.raises(TypeError, match="silent: no docstring"):
        metric(**WHOLE_DECLARATION)(silent)


@pytest.mark.parametrize("fact", WHOLE_DECLARATION)
def test_forgotten_fact_is_a_type_error(fact: str) -> None:
    with pytest.raises(TypeError, match=fact):
        metric(**{name: value for name, value in WHOLE_DECLARATION.items() if name != fact})


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("fact", ["label", "formula", "population", "source"])
def test_empty_fact_is_a_type_error(fact: str) -> None:
    def planted_rate(counts: StateCounts) -> Any:
        """Share of nothing."""
        return counts

    with pytest.raises(TypeError, match=f"no {fact}"):
        metric(**{**WHOLE_DECLARATION, fact: ""})(planted_rate)


def test_metric_is_declared_once() -> None:
    with pytest.raises(TypeError, match="declared twice"):
        metric(**WHOLE_DECLARATION)(METRICS["gate.neg_rate"].function)


@pytest.mark.parametrize("key", METRICS)
def test_metric_description_states_every_fact(key: str) -> None:
    declared = METRICS[key]
    text = catalog.describe(declared)
    for fact in (declared.label, declared.summary, declared.formula, declared.source, *declared.population):
        assert fact in text
    for case in declared.undefined:
        assert case.reason in text
    for variant, meaning in declared.variants.items():
        assert f"`{variant}`: {meaning}" in text


def test_problem_is_declared_once() -> None:
    with pytest.raises(TypeError, match="FILE-001 is declared twice"):
        problems.kinds.declare("FILE-001", "error", "nothing", "something", "Try again.")


def test_problems_say_what_to_do() -> None:
    for kind in KINDS.values():
        assert re.fullmatch(r"[A-Z]{3,4}-\d{3}", kind.code)
        assert kind.found
        assert kind.remedy, kind.code
        assert kind.expected or kind.severity == "warning", kind.code


def test_problems_that_are_reported_are_declared() -> None:
    sources = [file.read_text() for folder in ("evalcore", "pages") for file in (ROOT / folder).rglob("*.py")]
    named = {code for text in sources for code in re.findall(r"\"([A-Z]{3,4}-\d{3})\"", text)}
    assert named <= set(KINDS)


def test_every_declared_problem_is_raised_somewhere():
    modules = [path for part in ("evalcore", "pages") for path in (ROOT / part).rglob("*.py")]
    modules = [path for path in modules if path.parent.name != "problems"]
    source = "".join(path.read_text() for path in modules)
    assert [code for code in KINDS if f'"{code}"' not in source] == []


def test_readme_shows_what_choose_prints(tmp_path, capsys):
    """Each line of the two examples stands in the output, up to its ellipses."""
    text = (ROOT / "README.md").read_text()
    examples = re.findall(r"\$ python -m evalcore (choose [^$]*?point\.json)\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 2
    for command, shown in examples:
        arguments = command.replace("\\\n", " ").split()
        arguments[-1] = str(tmp_path / arguments[-1])
        main([str(ROOT / one) if one.startswith("sample_data/") else one for one in arguments])
        printed = capsys.readouterr().out
        for line in shown.splitlines():
            for part in filter(None, (part.strip(" :") for part in line.split("…"))):
                assert part in printed, part


def test_nothing_stands_twice_in_the_list_of_changes():
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    twice = {line for line in lines if len(line) > len("## Unreleased") and lines.count(line) > 1}
    assert not twice


def test_the_list_of_changes_goes_by_release_and_this_version_stands_first():
    text = (ROOT / "CHANGELOG.md").read_text()
    releases = re.findall(r"^## (\S+) \((unreleased|\d{4}-\d{2}-\d{2})\)$", text, re.MULTILINE)
    assert len(releases) == len(re.findall(r"^## ", text, re.MULTILINE))
    assert releases[0][0] == evalcore.__version__
    assert all(date != "unreleased" for _, date in releases[1:])
