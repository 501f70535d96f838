"""The ``evaluation:`` block of document 004: what it asks for, and what it cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

import evalcore
from evalcore.evaluation.recommender.configuration import named, read_configuration
from evalcore.problems import InputError
from tests.support.recommendations import KEYS

BLOCK = """
evaluation:
    top_k: [5, 10]
    metrics: [Precision, nDCG, ACLT]
    complex_metrics:
        - name: F1
          params:
              metric_name_1: nDCG
              metric_name_2: MAP
              beta: 0.5
        - name: ACLT
          params:
              pop_ratio: 0.9
        - name: EFD
          params:
              relevance: discounted
        - name: EucDistance
          params:
              metric_names: [Precision, Recall, nDCG]
              utopia_points: [1.0, 1.0, 1.0]
        - name: Hypervolume
          params:
              metric_names: [Precision, Gini]
              nadir_points: [0.0, 1.0]
              higher_is_better: [True, False]
    strategy: full
"""


def test_every_form_of_the_document_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(BLOCK)
    found = read_configuration(path)
    assert found["ks"] == (5, 10)
    assert found["metrics"] == tuple(
        f"recommender.{name}"
        for name in ["precision", "ndcg", "aclt", "f1", "efd", "euc_distance", "hypervolume"]
    )
    assert dict(found["settings"]) == {
        "recommender.f1": (("beta", 0.5), ("of", ("ndcg", "map"))),
        "recommender.aclt": (("pop_ratio", 0.9),),
        "recommender.efd": (("relevance", "discounted"),),
        "recommender.euc_distance": (("of", ("precision", "recall", "ndcg")), ("utopia", (1.0, 1.0, 1.0))),
        "recommender.hypervolume": (
            ("of", ("precision", "gini")),
            ("nadir", (0.0, 1.0)),
            ("higher", (True, False)),
        ),
    }


def test_every_name_of_the_document_is_known() -> None:
    assert {name: getattr(named(name), "name", None) for name in KEYS} == KEYS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("evaluation: [", "the file: while parsing"),
        ("a: &x [1]\nb: *x", "an alias"),
        ("model: BPR", "evaluation: model"),
        ("[1, 2]", "evaluation: list"),
        ("", "evaluation: NoneType"),
        ("top_k: [5, 0]", "top_k"),
        ("top_k: ten", "top_k: ten"),
        ("metrics: [Precision, Serendipity]", "metrics: Serendipity"),
        ("complex_metrics: [{name: Precision, params: {beta: 2}}]", "complex_metrics 1, params: beta"),
        ("complex_metrics: [F1]", "complex_metrics 1: F1"),
        ("x: " + "1" * 70_000, "at most 65,536"),
        (
            "top_k: [5]\nmetric: [ACLT]",
            "evaluation: metric, expected one of top_k, metrics, complex_metrics",
        ),
        ("top_k: [5]\npop_ratio: 0.9", "evaluation: pop_ratio"),
        ("metrics: [MAP]\nmetrics: [MRR]", "line 2: the key metrics again, expected each key once"),
        ("complex_metrics: [{name: F1, params: {beta: 1, beta: 2}}]", "line 1: the key beta again"),
        ("complex_metrics: [{name: F1, beta: 2}]", "complex_metrics 1: beta, expected name and params"),
        ("complex_metrics: [{name: F1, params: []}]", "complex_metrics 1, params: []"),
        (
            "top_k: !!python/object/apply:os.system ['true']",
            "line 1: the tag tag:yaml.org,2002:python/object",
        ),
        ("top_k: !!bool abc", "line 1: the tag tag:yaml.org,2002:bool, expected values without a tag"),
        ('top_k: !!int ""', "the tag tag:yaml.org,2002:int"),
        ("top_k: !!timestamp foo", "the tag tag:yaml.org,2002:timestamp"),
        ("\ntop_k: 0x" + "f" * 20_000, "line 2: a number or word of 20,002 characters, expected at most 100"),
        ("top_k: [1" + "0" * 4000 + "]", "a number or word of 4,001 characters"),
        ("top_k: [" + "-" + "9" * 9000 + "]", "a number or word of 9,001 characters"),
        ("top_k: " + "[" * 60_000, "line 1: more than 20 lists and mappings within each other"),
        ("metrics: []", "metrics: [], expected a name, or no key metrics for all of them"),
        ("metrics: [[MAP]]", "metrics: ['MAP'], expected one of precision"),
    ],
)
def test_what_cannot_be_taken_is_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match="OPT-046") as error:
        read_configuration(path)
    assert told in str(error.value)
    assert str(error.value).count("a.yaml: ") == 1


def test_a_cut_off_beyond_every_list_is_refused_before_its_places_are_added_up() -> None:
    data = evalcore.load("sample_data/recommender")
    for k, found in (
        (10**9, "1,000,000,000"),
        (10**30, "a number beyond 10¹⁸"),
        (10**5000, "a number beyond"),
    ):
        with pytest.raises(InputError, match="K = ") as error:
            evalcore.evaluate(data, ks=(k,))
        assert f"found K = {found}" in str(error.value)
        assert "expected at most 1,000,000, or ALL for the whole list" in str(error.value)


@pytest.mark.parametrize(
    ("metric", "given", "told"),
    [
        ("ACLT", 'pop_ratio: "0.9"', 'pop_ratio: "0.9", expected a finite number'),
        ("ACLT", "pop_ratio: null", "pop_ratio: null, expected a finite number"),
        ("ACLT", "pop_ratio: [0.9]", "pop_ratio: [0.9], expected a finite number"),
        ("ACLT", "pop_ratio: true", "pop_ratio: true, expected a finite number"),
        ("F1", "beta: [1]", "beta: [1], expected a finite number"),
        ("F1", "beta: true", "beta: true, expected a finite number"),
        ("F1", "beta: null", "beta: null, expected a finite number"),
        ("F1", "beta: .nan", "beta: NaN, expected a finite number"),
        ("F1", "metric_names: []", "metric_names: [], expected a list of names"),
        ("EFD", "relevance: null", "relevance: null, expected a word"),
        (
            "EucDistance",
            "metric_names: Precision",
            'metric_names: "Precision", expected a list of names',
        ),
        ("EucDistance", "utopia_points: 1.0", "utopia_points: 1.0, expected a list of finite numbers"),
        (
            "EucDistance",
            "utopia_points: [a]",
            'utopia_points: ["a"], expected a list of finite numbers',
        ),
        (
            "EucDistance",
            "utopia_points: [.inf]",
            "utopia_points: [Infinity], expected a list of finite",
        ),
        (
            "Hypervolume",
            "higher_is_better: true",
            "higher_is_better: true, expected a list of true and",
        ),
        ("Hypervolume", "higher_is_better: [0]", "higher_is_better: [0], expected a list of true and"),
    ],
)
def test_a_parameter_of_another_type_is_named(tmp_path: Path, metric: str, given: str, told: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"complex_metrics: [{{name: {metric}, params: {{{given}}}}}]")
    with pytest.raises(InputError, match="OPT-046") as error:
        read_configuration(path)
    assert f"complex_metrics 1, params, {told}" in str(error.value)


@pytest.mark.parametrize(
    "setting",
    [
        ("recommender.f1", (("beta", [1]),)),
        ("recommender.f1", (("k", 5),)),
        ("recommender.f1", (("betta", 1.0),)),
        ("recommender.f2", ()),
        ("recommender.aclt", (("pop_ratio", "0.9"),)),
    ],
)
def test_settings_that_a_program_gives_are_checked_alike(setting: object) -> None:
    data = evalcore.load("sample_data/recommender")
    with pytest.raises(InputError, match=r"OPT-00[34]"):
        evalcore.evaluate(data, ks=(5,), settings=(setting,))


def test_a_block_of_complex_metrics_asks_for_these_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    one = "{name: F1, params: {beta: 0.5}}"
    path.write_text(f"top_k: [5]\ncomplex_metrics: [{one}, {one}, {{name: MAP}}]")
    found = read_configuration(path)
    assert found["metrics"] == ("recommender.f1", "recommender.map")
    assert found["settings"] == (("recommender.f1", (("beta", 0.5),)),)


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("top_k: [-1]\nmetrics: [A, B]\ncomplex_metrics: [{name: C}]")
    with pytest.raises(InputError) as error:
        read_configuration(path)
    assert len(error.value.problems) == 4


def test_the_command_takes_the_block(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BLOCK)
    command = [sys.executable, "-m", "evalcore", "evaluate", "sample_data/recommender"]
    done = subprocess.run(
        [*command, "--evaluation", str(tmp_path / "a.yaml"), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / "out/metrics.csv").read_text()
    assert "recommender,f1,k=5;of=ndcg+map;beta=0.5,default,users_with_relevant,two_towers,,," in rows
    assert "recommender,recall" not in rows
