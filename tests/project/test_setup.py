"""The files that set the project up agree with each other."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DEPENDENCIES = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
PAGES = EXTRAS["app"]
LOCKS = ("requirements.lock", "requirements-dev.lock")

MODULES = {"pyyaml": "yaml", "scikit-learn": "sklearn"}
"""Dependency → what it is imported as, where that is another name."""

CLUSTER = {"cryptography", "dask", "distributed"}
WITH_AN_EXTRA = {
    "engines/cluster.py": CLUSTER,
    "engines/loopback.py": CLUSTER,
    "engines/run.py": CLUSTER,
    "readers/addresses.py": {"fsspec"},
}
"""Modules that look for what an extra brings, and say its name where it is missing."""

BROUGHT_ALONG = {"markupsafe"}  # by jinja2, whose texts it is the type of


def requirements(text: str) -> list[str]:
    """The requirement lines of a requirements file."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def pins(lock: str) -> dict[str, str]:
    """Name → version of every pin in a lock."""
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text(), flags=re.MULTILINE))


def names(specifiers: list[str]) -> set[str]:
    """The names in a list such as `numpy>=2.4`."""
    return {re.split(r"[<>=~! ;\[]", specifier)[0] for specifier in specifiers}


def test_requirements_txt_names_the_direct_dependencies_of_pyproject() -> None:
    named = requirements((ROOT / "requirements.txt").read_text())
    direct = [*(one for one in DEPENDENCIES if not names([one]) & names(PAGES)), *PAGES]
    assert named[: len(direct)] == direct
    assert names(named[len(direct) :]) == {"pytest", "scikit-learn", "statsmodels"}
    assert set(named[len(direct) :]) <= set(PROJECT["dependency-groups"]["dev"])


def test_the_product_imports_every_dependency() -> None:
    files = [ROOT / "app.py", *(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    imported = {
        name
        for file in files
        for name in re.findall(r"^\s*(?:import|from) (\w+)", file.read_text(), flags=re.MULTILINE)
    }
    direct = {MODULES.get(name, name) for name in names([*DEPENDENCIES, *PAGES])}
    assert direct - imported == set()


def test_the_package_imports_nothing_that_only_the_pages_bring() -> None:
    """What is installed without an extra works: it imports its dependencies alone.

    A folder called as an extra is what that extra is for, and may import what it brings.
    """
    brought = {MODULES.get(name, name) for name in names(DEPENDENCIES)} | BROUGHT_ALONG | {"evalcore"}
    installed = packages_distributions().keys()
    for file in (ROOT / "evalcore").rglob("*.py"):
        imported = set(re.findall(r"^\s*(?:import|from) (\w+)", file.read_text(), flags=re.MULTILINE))
        path = file.relative_to(ROOT / "evalcore")
        extra = names(EXTRAS.get(path.parts[0], [])) | WITH_AN_EXTRA.get(path.as_posix(), set())
        of_extra = {MODULES.get(name, name) for name in extra}
        assert (imported & installed) - brought - of_extra == set(), path


def test_locks_pin_every_direct_dependency() -> None:
    direct = names([*DEPENDENCIES, *PAGES])
    assert direct <= pins("requirements.lock").keys()
    assert direct | names(PROJECT["dependency-groups"]["dev"]) <= pins("requirements-dev.lock").keys()


def test_every_dependency_has_a_lowest_version() -> None:
    """Without one an installer that meets a conflict takes a version from years ago."""
    stated = [*DEPENDENCIES, *(one for extra in EXTRAS.values() for one in extra)]
    assert [one for one in stated if not re.search(r">=\d", one)] == []


def test_both_locks_pin_the_same_versions() -> None:
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_hashed_and_no_address_is_named(lock: str) -> None:
    text = (ROOT / lock).read_text()
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(pins(lock))
    assert [block for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in text


def test_version_is_written_once() -> None:
    source = (ROOT / "evalcore" / "__init__.py").read_text()
    assert re.findall(r'^__version__ = "(\d+\.\d+\.\d+)"$', source, flags=re.MULTILINE)
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"] == {"path": "evalcore/__init__.py"}


def test_ci_runs_make_test_without_the_long_tours_with_fewer_examples_and_nothing_else() -> None:
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert script == ["#!/bin/sh", 'cd "$(dirname "$0")/.." && exec make ci']
    rules = (ROOT / "Makefile").read_text()
    test, ci = (
        rules.split(f"\n{name}: ")[1].split("\n\n")[0].removesuffix(' -m "not long" --hypothesis-profile=few')
        for name in ("test", "ci")
    )
    assert test == ci


def test_dashboard_listens_on_this_machine_only_and_tells_nobody() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    server = config["server"]
    assert (server["address"], server["port"], server["fileWatcherType"]) == ("127.0.0.1", 8501, "none")
    assert server["enableCORS"]
    assert server["enableXsrfProtection"]
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["toolbarMode"] == "viewer"
    assert config["client"]["showErrorDetails"] == "none"


def test_streamlit_knows_every_option_that_is_set() -> None:
    """Streamlit ignores a misspelt option without a word."""
    from streamlit import config as streamlit_config

    known = streamlit_config.get_config_options().keys()
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert flatten(config).keys() <= known


def flatten(table: dict[str, object], prefix: str = "") -> dict[str, object]:
    """Option names as Streamlit writes them, `theme.light.primaryColor`, with their values."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        flat |= flatten(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


SERVE = """
import app
from streamlit import net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App
assert isinstance(app.app, App)
assert PagesManager.uses_pages_directory is False
assert net_util.get_external_ip() is None
"""


def test_streamlit_run_finds_the_server_and_its_settings_in_the_app() -> None:
    """What a browser sees: tests/browser/pages/test_addresses.py. Some names are private, hence the pin."""
    from streamlit.web.server.app_discovery import discover_asgi_app

    assert discover_asgi_app(ROOT / "app.py").import_string == "app:app"
    subprocess.run([sys.executable, "-c", SERVE], cwd=ROOT, check=True)
    assert "streamlit>=1.67,<1.68" in PAGES


def test_program_hands_files_over_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from streamlit.web import cli

    from pages.server import start_files
    from pages.shared import launch

    calls = []
    monkeypatch.setattr(start_files, "_kept", [])
    monkeypatch.setattr(cli, "main", lambda arguments, prog_name: calls.append((arguments, prog_name)))
    launch.main(["--server.port=8600"], [("a.csv", b"a")])
    assert [file.name for file in start_files.kept()] == ["a.csv"]
    assert calls == [(["run", str(ROOT / "app.py"), "--server.port=8600"], "streamlit")]
