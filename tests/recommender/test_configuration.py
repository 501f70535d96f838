"""The ``evaluation:`` block of document 004: what it asks for, and what it cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

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
        ("top_k: !!python/object/apply:os.system ['true']", "the file: could not determine a constructor"),
    ],
)
def test_what_cannot_be_taken_is_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match="OPT-046") as error:
        read_configuration(path)
    assert told in str(error.value)


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
