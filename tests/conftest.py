"""Fixtures that every test may use."""

import os
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# No test is timed, and the same commit meets the same examples everywhere; `make ci` asks for few of them.
for name, n_examples in {"evalcore": 60, "few": 20}.items():
    settings.register_profile(
        name,
        deadline=None,
        derandomize=True,
        max_examples=n_examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("evalcore")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real inputs and golden values, beside the project or where EVALCORE_SHARED says."""
    folder = Path(os.environ.get("EVALCORE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("no folder 'shared' beside the project and none named by EVALCORE_SHARED")
    return folder


@pytest.fixture(autouse=True)
def nobody_has_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test is told of looks at test rows that another one counted: the server remembers them."""
    looks = sys.modules.get("pages.shared.point.looks")
    if looks is not None:
        monkeypatch.setattr(looks, "_OF_SERVER", looks.LookBook("server"))


@pytest.fixture(autouse=True)
def components_are_looked_for_once() -> None:
    """Before every run of a page Streamlit reads what all that is installed says of itself."""
    scanner = sys.modules.get("streamlit.components.v2.manifest_scanner")
    if scanner is not None and not hasattr(scanner.scan_component_manifests, "cache_info"):
        setattr(scanner, "scan_component_manifests", cache(scanner.scan_component_manifests))  # noqa: B010
