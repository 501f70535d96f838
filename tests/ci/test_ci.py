"""The action and the hooks, as a runner runs them: statuses, the summary, and hostile names and inputs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from evalcore.__main__ import main
from evalcore.ci.running import LINES, compare
from evalcore.ci.summary import Outcome, markdown
from tests.support.but_long import but_long

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
HEAD = "post_id,criterion_id,has_evidence,probability,split"


def rows(folder: Path, name: str, *, turned: bool = False, n: int = 240) -> Path:
    """Rows whose scores rise with the label, or fall."""
    lines = [HEAD]
    for at in range(n):
        label = int(at % 4 == 0)
        score = 0.1 + 0.25 * label + 0.55 * ((at * 7919) % 101) / 101
        split = "tune" if at % 3 else "test"
        lines.append(f"p{at},A.1,{label},{1 - score if turned else score:.4f},{split}")
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with data, a document of it and one that was edited."""
    data = rows(tmp_path, "data.csv")
    main(["choose", str(data), "--tune", "tune", "--test", "test", "--out", str(tmp_path / "point.json")])
    text = (tmp_path / "point.json").read_text()
    changed = text.replace('"status": "', '"status": "x', 1)
    (tmp_path / "edited.json").write_text(changed if changed != text else text.replace("0.", "0.1", 1))
    return tmp_path


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A runner's own folder, with the environment that the action's first step makes."""
    python = tmp_path / "runner" / "evalcore" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return tmp_path / "runner"


def act(project: Path, runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The action's last step, as a runner runs it."""
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "run"]
    defaults = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
    given = {name.replace("-", "_"): text for name, text in defaults.items()} | inputs
    env = {name: filled(text, given) for name, text in step["env"].items()}
    env |= {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(runner),
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(runner / "summary.md"),
        "GITHUB_OUTPUT": str(runner / "output"),
    }
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(shell, cwd=project, env=env, capture_output=True, text=True, check=False)


def filled(text: str, given: dict[str, str]) -> str:
    """An expression of the action with the input it names."""
    named = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)
    assert named is not None, text
    return given[named[1].replace("-", "_")]


def test_the_action_hands_over_what_the_script_reads_and_writes_nothing_into_it():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "run"]
    read = set(re.findall(r'"([A-Z_]+)"', (ROOT / "evalcore" / "ci" / "running.py").read_text()))
    assert {name.removeprefix(LINES) for name in step["env"]} <= read
    assert set(step["env"].values()) == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}


def test_a_document_that_holds_is_told_in_the_summary(project, runner):
    told = act(project, runner, command="verify", point="point.json", inputs="data.csv")
    assert told.returncode == 0, told.stderr
    summary = (runner / "summary.md").read_text()
    assert "✅ **verify point.json**: holds" in summary
    assert "values and texts recomputed" in summary
    assert (runner / "output").read_text() == "status=0\n"


def test_a_document_that_does_not_hold_fails_the_job(project, runner):
    data = (project / "data.csv").read_text()
    (project / "data.csv").write_text(data.replace("p4,A.1,1,", "p4,A.1,0,"))
    told = act(project, runner, command="verify", point="point.json", inputs="data.csv")
    assert told.returncode in (1, 2)
    assert "✅" not in (runner / "summary.md").read_text()


@pytest.mark.long
def test_several_documents_are_each_told_and_the_worst_decides(project, runner):
    told = act(project, runner, command="verify", point="point.json\nmissing.json", inputs="data.csv")
    assert told.returncode == 2
    summary = (runner / "summary.md").read_text()
    assert summary.count("**verify ") == 2
    assert "✅" in summary
    assert "FILE-001" in summary


@pytest.mark.parametrize("strict", ["true", "false"])
def test_a_worse_model_fails_the_job_where_that_is_asked(project, runner, strict):
    rows(project, "new.csv", turned=True)
    options = "--bootstrap=200\n--permutations=199\n--metrics=classification.auroc"
    inputs = "data.csv\nnew.csv"
    told = act(project, runner, command="compare", inputs=inputs, options=options, fail_if_worse=strict)
    assert told.returncode == (1 if strict == "true" else 0), told.stdout + told.stderr
    assert "| worse |" in (runner / "summary.md").read_text()


def test_a_better_model_passes(project):
    rows(project, "old.csv", turned=True)
    options = ["--bootstrap=200", "--permutations=199", "--metrics=classification.auroc"]
    found = compare([str(project / "old.csv"), str(project / "data.csv")], options)
    assert found.status == 0
    assert [row["favours"] for row in found.table] == ["second"]


def test_the_table_of_the_summary_writes_shares_as_everywhere():
    row = {"params": "", "first": 0.25, "second": 0.5, "ci_low": 0.125, "ci_high": 0.375, "favours": "second"}
    row["difference"] = 0.25
    names = ("gate.alert_precision", "classification.auroc")
    text = markdown([Outcome("compare", 0, "", tuple({**row, "metric": name} for name in names))])
    assert "| 25.0 % | 50.0 % | +25.0 points | +12.5 to +37.5 |" in text
    assert "| 0.250 | 0.500 | +0.2500 | +0.1250 to +0.3750 |" in text


FAST = ["--bootstrap=200", "--permutations=199", "--metrics=classification.auroc"]


def test_more_than_one_pair_of_models_is_no_green_gate(tmp_path):
    lines = ["post_id,criterion_id,has_evidence,a,b,c"]
    lines += [f"p{at},A.1,{int(at % 4 == 0)},0.{at % 7}1,0.{at % 9}1,0.{at % 5}1" for at in range(240)]
    file = tmp_path / "models.csv"
    file.write_text("\n".join(lines) + "\n")
    three = [*(f"--column=probability={name}" for name in "abc"), *FAST, "--models=a,b,c"]
    found = compare([str(file)], three)
    assert (found.status, found.table) == (2, ()), found.said
    assert "--models=baseline,new" in found.word, found.said
    assert compare([str(file)], three, fails_if_worse=False).status == 0
    assert compare([str(file)], [*three[:-1], "--models=a,b"]).table


def test_a_comparison_without_a_verdict_is_no_green_gate_and_names_the_rows_that_fell_out(tmp_path):
    old, new = rows(tmp_path, "old.csv", n=400), rows(tmp_path, "new.csv", n=8)
    found = compare([str(old), str(new)], FAST)
    assert found.status == 2
    assert "no metric has a verdict" in found.word
    assert "8 checks compared; 392 fell out" in markdown([found]).replace("&#59;", ";").splitlines()[2]


def test_equal_predictions_are_not_worse(tmp_path):
    old, new = rows(tmp_path, "old.csv"), rows(tmp_path, "new.csv")
    found = compare([str(old), str(new)], FAST)
    assert (found.status, found.word) == (0, "not shown to be worse")


@pytest.mark.parametrize(
    "hostile",
    but_long(
        [
            "$(touch planted)",
            "`touch planted`",
            "a.json; touch planted",
            '"; touch planted; "',
            "--out=planted",
            "-h",
            "::error::planted",
            "<img src=x onerror=alert(1)>|`x`.json",
            "../../etc/passwd",
            "\u202e\x1b[31mplanted",
        ],
        2,
    ),
)
def test_hostile_inputs_are_names_of_files_and_nothing_else(project, runner, hostile):
    told = act(project, runner, command="verify", point=hostile, inputs=hostile, options="")
    assert told.returncode == 2
    assert not (project / "planted").exists()
    assert "Traceback" not in told.stdout + told.stderr
    lines = told.stdout.splitlines()
    stopped = re.fullmatch(r"::stop-commands::(\w{32})", lines[0])
    assert stopped is not None
    assert lines[-1] == f"::{stopped[1]}::"
    summary = (runner / "summary.md").read_text()
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", summary, flags=re.DOTALL | re.MULTILINE)
    assert not set("<|\x1b\u202e$") & set(outside)


def test_a_command_of_the_action_is_run_by_nobody(project, runner):
    told = act(project, runner, command="verify; touch planted", point="point.json", inputs="data.csv")
    assert told.returncode == 2
    assert not (project / "planted").exists()


def test_a_module_of_the_repository_is_not_imported(project, runner):
    (project / "json.py").write_text("raise SystemExit('planted')\n")
    told = act(project, runner, command="verify", point="point.json", inputs="data.csv")
    assert told.returncode == 0, told.stdout + told.stderr


def test_no_module_of_the_repository_is_run_by_any_step(tmp_path):
    runs = [line for step in ACTION["runs"]["steps"] for line in step["run"].splitlines() if " -m " in line]
    assert len(runs) == 3
    assert all(" -P -m " in line for line in runs)
    (tmp_path / "venv.py").write_text("raise SystemExit('planted')\n")
    (install,) = [line for line in runs if "-m venv" in line]
    command = install.split('"')[0].replace("python3", sys.executable) + "--help"
    told = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr


def hooked(project: Path, hook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A hook as pre-commit runs it: the entry, the configured arguments, the changed files."""
    entry = HOOKS[hook]["entry"].split()
    assert entry[0] == "python"
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *entry[1:], *arguments],
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_hook_verifies_every_changed_document(project):
    (project / "-x.json").write_bytes((project / "point.json").read_bytes())
    told = hooked(project, "evalcore-verify", "data.csv", "--", "point.json", "-x.json")
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count(": holds\n") == 2
    refused = hooked(project, "evalcore-verify", "data.csv", "--", "point.json", "edited.json")
    assert refused.returncode != 0


def test_the_hook_says_how_it_is_configured(project):
    told = hooked(project, "evalcore-verify", "point.json")
    assert told.returncode == 2
    assert "Usage: " in told.stdout


def test_files_of_the_hooks_are_found_by_their_names():
    for name, good, other in (
        ("evalcore-verify", "models/point.json", "package.json"),
        ("evalcore-verify", "point_2.json", "checkpoint.json"),
        ("evalcore-verify", "models/operating_point.json", "models/endpoints.json"),
        ("evalcore-verify", "my-point.v2.json", "point/data.json"),
        ("evalcore-compare", "out/predictions_7.csv", "data.csv"),
    ):
        assert re.search(HOOKS[name]["files"], good)
        assert not re.search(HOOKS[name]["files"], other)


def test_a_long_summary_is_cut_before_nothing_of_it_is_shown():
    said = "`` `" + "x" * 2_000_000
    text = markdown([Outcome("verify", 1, said)])
    assert len(text.encode()) < 1_000_000
    assert "````text" in markdown([Outcome("verify", 1, "```")])
