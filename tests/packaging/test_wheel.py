"""The wheel holds the package and the pages, and works where nothing else of the project is."""

import os
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest

import evalcore
from benchmarks.visitor import Visitor
from tests.browser.dashboard import Dashboard

ROOT = Path(__file__).resolve().parents[2]
PAGES = "evalcore_dashboard"
ROWS = "post_id,criterion_id,has_evidence,probability\n" + "".join(
    f"p{i},A.1,{int(i % 3 == 0)},{i % 100 / 100}\n" for i in range(240)
)


class Installed(Dashboard):
    """The dashboard of an installed copy, started by its own program in another folder."""

    def __init__(self, bin_folder: Path, files: list[Path], folder: Path) -> None:
        super().__init__(folder / "log.txt", folder=folder)
        program = [str(bin_folder / "evalcore"), "dashboard", *map(str, files)]
        self._command = [*program, "--port", str(self.port), "--no-browser"]


def run(bin_folder: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The console script, in a folder that is not ours."""
    command = [str(bin_folder / "evalcore"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def carried(folder: str) -> set[str]:
    """The files of a folder that belong to what is installed."""
    files = [file for file in (ROOT / folder).rglob("*") if file.is_file()]
    return {str(file.relative_to(ROOT)) for file in files if file.suffix != ".pyc"}


def test_wheel_holds_every_file_of_the_package_and_the_pages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
        about = {name.partition(".dist-info/")[2] for name in opened.namelist()} - {""}
    shown = {"app.py", ".streamlit/config.toml"} | carried("pages") | carried("sample_data")
    assert names == carried("evalcore") | {f"{PAGES}/{name}" for name in shown}
    assert {"licenses/LICENSE", "licenses/NOTICE", "entry_points.txt"} <= about


def test_installed_program_evaluates_a_file(installed: Path, tmp_path: Path) -> None:
    assert run(installed, tmp_path, "--version").stdout == f"evalcore {evalcore.__version__}\n"
    (tmp_path / "rows.csv").write_text(ROWS)
    done = run(installed, tmp_path, "evaluate", "rows.csv", "--out", "report")
    assert done.returncode == 0
    assert done.stderr.startswith("rows.csv: 240 rows in, 240 used\n")
    assert "\nclassification,auroc," in (tmp_path / "report" / "metrics.csv").read_text()
    assert (tmp_path / "report" / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_installed_dashboard_that_is_told_to_end_ends_well(
    installed: Path, tmp_path: Path, told: signal.Signals
) -> None:
    with Installed(installed, [], tmp_path) as served:
        os.kill(served.pid, told)
        assert served.status() == 0
    assert served.log.read_text() == f"The dashboard is at {served.url}\n"


def test_installed_program_says_what_it_cannot_open(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "dashboard", "nowhere.csv", ".", "--port", "0")
    assert done.returncode == 2
    assert [line.rpartition("[")[2] for line in done.stderr.splitlines()] == [
        "OPT-003]",
        "FILE-001]",
        "PKG-003]",
    ]


def test_installed_pages_show_a_file_from_a_folder_that_has_pages_of_its_own(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "__init__.py").write_text("raise RuntimeError('the pages of somebody else')\n")
    (tmp_path / "rows.csv").write_text(ROWS)
    with Installed(installed, [tmp_path / "rows.csv"], tmp_path) as served:
        with Visitor(served.url, "operating_point") as visitor:
            assert "rows.csv" in visitor.text
            assert "240 checks" in visitor.text
        with Visitor(served.url, "data") as visitor:
            assert "240 rows in = 240 used" in visitor.text
            visitor.click("Use the sample data")
            assert "29,540 rows in = 29,540 used" in visitor.text
            visitor.run()
            assert "29,540 rows in = 29,540 used" in visitor.text
    assert "rows.csv" not in (tmp_path / "log.txt").read_text()
