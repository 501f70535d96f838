"""What is handed over for machines without a network, and the table of settings."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from deploy.bundle import requirements
from evalcore import documentation

ROOT = Path(__file__).resolve().parents[2]


def test_table_of_settings_names_every_variable_that_the_product_reads() -> None:
    files = [ROOT / "app.py", *(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    named = {name for file in files for name in re.findall(r"EVALCORE_[A-Z]+(?:_[A-Z]+)*", file.read_text())}
    page = documentation.settings_page()
    named -= {name for name in named if name.startswith("EVALCORE_CI")}  # set by action.yml, by nobody else
    assert {name for name in named if f"| `{name}` |" not in page} == set()
    assert "| `EVALCORE_MAX_REPLICATES` | 100,000 |" in page


def test_guide_names_no_variable_that_is_none() -> None:
    named = set(re.findall(r"EVALCORE_[A-Z_]*[A-Z]", (ROOT / "docs" / "deploy.md").read_text()))
    assert named
    assert {name for name in named if f"| `{name}` |" not in documentation.settings_page()} == set()


def test_bundle_names_every_wheel_with_its_digest(tmp_path: Path) -> None:
    (tmp_path / "evalcore-0.1.0-py3-none-any.whl").write_bytes(b"ours")
    (tmp_path / "python_dateutil-2.9.0-py2.py3-none-any.whl").write_bytes(b"theirs")
    ours, theirs = (sha256(content).hexdigest() for content in (b"ours", b"theirs"))
    assert requirements(tmp_path).splitlines() == [
        f"evalcore[app]==0.1.0 --hash=sha256:{ours}",
        f"python-dateutil==2.9.0 --hash=sha256:{theirs}",
    ]


@pytest.mark.parametrize(
    "files", [[], ["evalcore-1-x.whl", "evalcore-2-x.whl"], ["evalcore-1-x.whl", "a.tar.gz"]]
)
def test_bundle_that_would_not_install_is_refused(tmp_path: Path, files: list[str]) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ValueError, match="holds"):
        requirements(tmp_path)
