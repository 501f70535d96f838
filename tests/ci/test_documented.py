"""What docs/integrations.md configures exists."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "integrations.md"


def blocks(heading: str) -> str:
    """The indented lines under a heading."""
    section = re.split(rf"^## {heading}$", PAGE.read_text(), flags=re.MULTILINE)[1].split("\n## ")[0]
    return "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))


def test_the_action_has_the_inputs_that_are_shown() -> None:
    declared = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    (step,) = yaml.safe_load(blocks("GitHub Actions"))
    assert set(step["with"]) <= set(declared)
    required = {name for name, one in declared.items() if one.get("required")}
    assert required <= set(step["with"])
    for named in re.findall(r"`([\w-]+): ", PAGE.read_text()):
        assert named in {*declared, "options", "files"}, named


def test_the_hooks_that_are_shown_exist_and_end_their_arguments() -> None:
    ids = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    (repo,) = yaml.safe_load(blocks("pre-commit"))
    assert {hook["id"] for hook in repo["hooks"]} == ids
    assert all(hook["args"][-1] == "--" for hook in repo["hooks"])
